/** A word for bash in which `$NAME` and `${NAME}` are variables, and everything else is as it is written. */
export const shellText = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replaceAll(/["\\`]|\$(?!\w|\{\w+\})/g, (found) => `\\${found}`)}"`;
