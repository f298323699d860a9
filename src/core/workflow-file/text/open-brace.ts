/** Strings, raw strings and comments of KDL, in which braces mean nothing, and the braces. */
const PIECE = /(#*)"""[\s\S]*?"""\1|(#+)"[\s\S]*?"\2|"(?:\\[\s\S]|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}]/g;

/** The position of the brace that opens one level more than so many; undefined where none does. */
export function tooDeep(text: string, most: number): number | undefined {
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece === '{' && ++depth > most) return index;
    if (piece === '}') depth--;
  }
  return undefined;
}

/** The position of the innermost brace that is never closed; undefined where each is. */
export function openBrace(text: string): number | undefined {
  const open: number[] = [];
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    if (piece === '{') open.push(index);
    else if (piece === '}') open.pop();
  }
  return open.at(-1);
}
