import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

/** An exported name stands for one thing: a search for it finds its file, and a reader of an import needs no path. */

const root = resolve(import.meta.dirname, '..');

/** A declaration that a module exports, as the formatter writes it. What a module passes on is declared in another one. */
const EXPORTED = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
const exportsOf = (source: string) => [...source.matchAll(EXPORTED)].map(([, name]) => name as string);

/** Names that several of these files export, with the files. */
function sharedIn(files: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, source] of Object.entries(files))
    for (const name of new Set(exportsOf(source))) found.set(name, [...(found.get(name) ?? []), path]);
  return new Map([...found].filter(([, paths]) => paths.length > 1));
}

const house = (): Record<string, string> =>
  Object.fromEntries(
    globSync('src/**/*.{ts,tsx}', { cwd: root })
      .filter((path) => !/\.(?:test|gen)\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(resolve(root, path), 'utf8')]),
  );

it('the source has each exported name in one file', () => {
  expect(Object.fromEntries(sharedIn(house()))).toEqual({});
});

it('the look at names finds one that two files declare, and leaves one that a file passes on', () => {
  const files = {
    'src/one.ts':
      'export interface Place {}\nexport const placeOf = () => 1;\nexport const Kind = 1;\nexport type Kind = 2;',
    'src/two.tsx': "export async function* placeOf() {}\nexport type { Place } from './one.ts';\nconst Kind = 3;",
  };
  expect([...sharedIn(files)]).toEqual([['placeOf', ['src/one.ts', 'src/two.tsx']]]);
});
