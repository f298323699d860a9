/**
 * The line of a TOML text on which a key is set, or its table begins; undefined where it cannot be told.
 *
 * The parser hands out values without their places. This looks at headers and at the beginnings of lines only, which
 * finds all but what stands inside of an inline table: there it is the line of the key that holds the table.
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
