/** One word for any shell: `a'b` becomes `'a'\''b'`. */
export const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
