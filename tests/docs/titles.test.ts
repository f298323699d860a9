import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

/** Titles of tests are whole sentences: a report and a search show them without the title of their group. */

const root = resolve(import.meta.dirname, '../..');

/** Words with which the second half of a sentence begins, and no sentence. */
const HALVES =
  'is|are|has|have|does|do|says|gets|takes|keeps|leaves|ends|runs|refuses|prints|shows|adds|makes|goes|asks|' +
  'accepts|answers|counts|finds|gives|lets|puts|repeats|reports|sends|starts|stays|waits|may|can|cannot|must|' +
  'that|whose|and|but|or';
const TITLE = /^ *(?:(?:it|test)(?:\.\w+)*\(|(?:\]|\w)\)\()(['"`])((?:\\.|(?!\1)[^\\])*)\1/gm;

const halfTitles = (source: string): string[] =>
  [...source.matchAll(TITLE)].flatMap(([, , title = '']) => (new RegExp(`^(?:${HALVES}) `).test(title) ? [title] : []));

it('the title of each test is a whole sentence', () => {
  const files = globSync(['src/**/*.test.ts', 'tests/**/*.test.ts'], { cwd: root });
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    halfTitles(readFileSync(join(root, file), 'utf8')).map((title) => `${file}: ${title}`),
  );
  expect(found).toEqual([]);
});

it('a title that is half a sentence is found, and a whole one is not', () => {
  const source = [
    "it('is what it says', () => {",
    "  it.each(rows)('refuses %s', () => {",
    "  ])('has %s', () => {",
    "it('a job is done', () => {",
  ].join('\n');
  // A table of rows in front of a title may stand on lines of its own.
  expect(halfTitles(source)).toEqual(['is what it says', 'has %s']);
});
