/** `$@`, `$(@D)`, `$<` and the others that have another value in each recipe. */
const AUTOMATIC = /\$[@<^+*?|%]|\$[({][@<^+*?|%][DF]?[)}]/;

/**
 * The variables whose value may differ from recipe to recipe, in the data base of make: those with an automatic variable in their text,
 * or in that of a variable to which they refer.
 *
 * A text counts for each variable of its name, also of other targets, and every word behind `$(` or in a call for a reference: one
 * too many costs a question, one too few a wrong value.
 */
export function varyingIn(database: string): (name: string) => boolean {
  const texts = new Map<string, string>();
  const add = (name: string, text: string) => texts.set(name, `${texts.get(name) ?? ''}\n${text}`);
  for (const [, name = '', text = ''] of database.matchAll(/^(?:# )?(?:[^\n#\t=]*: )?([^\s:=#]+) \+?= (.*)$/gm))
    add(name, text);
  for (const [, name = '', text = ''] of database.matchAll(/^(?:[^\n\t]*[:#] )?define (\S+)\n([^]*?)\nendef$/gm))
    add(name, text);
  const known = new Map<string, boolean>();
  const varies = (name: string): boolean => {
    const found = known.get(name);
    if (found !== undefined) return found;
    // A variable that refers to itself.
    known.set(name, false);
    const text = texts.get(name) ?? '';
    const isVarying =
      AUTOMATIC.test(text) || [...new Set(text.match(/[\w.-]+/g))].some((word) => texts.has(word) && varies(word));
    known.set(name, isVarying);
    return isVarying;
  };
  return varies;
}
