/** How make goes through the targets, as `--debug=v` prints it. */
export interface MakeWalk {
  /** What make looks at for a target before it makes it: its prerequisites, and those of intermediate files among them. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that do not exist. */
  readonly missing: ReadonlySet<string>;
  /** Names as the makefile has them, and where a search path has the files. */
  readonly foundAs: ReadonlyMap<string, string>;
}

const CONSIDERED = /^( *)(?:Considering target file|Pruning file) '(.*)'\.$/;
const MISSING = /^ *File '(.*)' does not exist\.$/;
const FOUND = /^ *No need to remake target '(.*)'; using VPATH name '(.*)'\.$/;

/** Reads the lines of `--debug=v`: a target stands below the one that needs it, with more blanks before it. */
export function readWalk(lines: readonly string[]): MakeWalk {
  const before = new Map<string, Set<string>>();
  const missing = new Set<string>();
  const foundAs = new Map<string, string>();
  const above: { readonly depth: number; readonly name: string }[] = [];
  for (const line of lines) {
    const [, blanks, name] = CONSIDERED.exec(line) ?? [];
    const [, absent] = MISSING.exec(line) ?? [];
    const [, written, path] = FOUND.exec(line) ?? [];
    if (absent !== undefined) missing.add(absent);
    if (written !== undefined && path !== undefined) foundAs.set(written, path);
    if (blanks === undefined || name === undefined) continue;
    while ((above.at(-1)?.depth ?? -1) >= blanks.length) above.pop();
    const parent = above.at(-1)?.name;
    above.push({ depth: blanks.length, name });
    if (!before.has(name)) before.set(name, new Set());
    if (parent !== undefined) before.get(parent)?.add(name);
  }
  return { before, missing, foundAs };
}
