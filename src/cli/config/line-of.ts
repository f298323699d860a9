/**
 * The line of a TOML text on which a key is set, or its table begins; undefined if it cannot be determined.
 *
 * The parser returns values without their places. This reads only headers and the beginnings of lines, which is enough
 * except inside an inline table: there it is the line of the key of the table.
 */
export function lineOf(toml: string, path: readonly string[]): number | undefined {
  let table: readonly string[] = [];
  let nearest: { readonly line: number; readonly depth: number } | undefined;
  for (const [index, line] of toml.split('\n').entries()) {
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line);
    const set = header === null ? /^\s*([\w\s."'-]+?)\s*=/.exec(line) : null;
    if (header !== null) table = keysOf(header[1] as string);
    if (header === null && set === null) continue;
    const here = set === null ? table : [...table, ...keysOf(set[1] as string)];
    if (here.length > path.length || !here.every((part, depth) => part === path[depth])) continue;
    if (nearest === undefined || here.length > nearest.depth) nearest = { line: index + 1, depth: here.length };
  }
  return nearest?.line;
}

const keysOf = (text: string): string[] =>
  [...text.matchAll(/"([^"]*)"|'([^']*)'|([\w-]+)/g)].map(([, double, single, bare]) => double ?? single ?? bare ?? '');
