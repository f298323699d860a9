import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Refuses folders that need each other: what stands in one folder of `src`, its folders and its files, has an order in which
 * imports point down.
 *
 * The rules between files cannot see this: two folders may need each other although no two of their files do. A file that is
 * only started by its name, as that of a thread, is no import; tests may use everything, and generated files are left out.
 */

/** Imports as the formatter writes them: at the end of a statement, in an expression, or in a type. */
const IMPORT = /\bfrom '(\.[^']+)';$|\bimport\('(\.[^']+)'\)/gm;

/** The imports of a folder: who needs whom among what stands in it, and the files that show it. */
type Needs = Map<string, Map<string, string>>;

/** For each folder what its parts need of each other, by the imports of these sources. */
export function needsOf(sources: ReadonlyMap<string, string>): Map<string, Needs> {
  const folders = new Map<string, Needs>();
  for (const [path, text] of sources) {
    for (const [, statement, expression] of text.matchAll(IMPORT)) {
      const other = join(dirname(path), (statement ?? expression) as string);
      if (!sources.has(other)) continue;
      const [from, to] = [path.split('/'), other.split('/')];
      const depth = from.findIndex((part, index) => part !== to[index]);
      if (depth < 0) continue;
      const folder = from.slice(0, depth).join('/');
      const needs = folders.get(folder) ?? new Map<string, Map<string, string>>();
      const [one, another] = [from[depth] as string, to[depth] as string];
      const of = needs.get(one) ?? new Map<string, string>();
      needs.set(one, of.set(another, of.get(another) ?? `${path} imports ${other}`));
      folders.set(folder, needs);
    }
  }
  return folders;
}

/** The imports that keep the parts of a folder from having an order; empty if they have one. */
export function againstOrder(needs: Needs): string[] {
  const left = new Map([...needs].map(([name, others]) => [name, new Set(others.keys())]));
  const isNeeded = (name: string) => [...left.values()].some((others) => others.has(name));
  for (let removed = true; removed;) {
    removed = false;
    for (const [name, others] of left) {
      for (const other of others) if (!left.has(other)) others.delete(other);
      // At the bottom, or at the top, of all that is left.
      if (others.size > 0 && isNeeded(name)) continue;
      removed = left.delete(name);
    }
  }
  return [...left].flatMap(([name, others]) => [...others].map((other) => needs.get(name)?.get(other) as string));
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const paths = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((path) => !/\.(?:test|gen)\.tsx?$/.test(path));
  const sources = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const found = [...needsOf(sources)].map(([folder, needs]) => ({ folder, against: againstOrder(needs) }));
  const refused = found.filter(({ against }) => against.length > 0);
  for (const { folder, against } of refused)
    console.error(`${folder}: its folders and files need each other\n${against.map((each) => `  ${each}\n`).join('')}`);
  if (refused.length > 0) process.exitCode = 1;
  else console.log(`${found.length} folders of ${sources.size} files: the imports in each point down.`);
}
