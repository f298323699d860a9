import { globSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

/** Decisions (docs/adr) have numbers without gaps, a place in the index, and no more words than a reader reads. */

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync('docs/adr/[0-9]*.md', { cwd: root }).sort();

const MOST_WORDS = 600;

/** The decisions of a page: one below each heading of the second level, and what stands before the first of them. */
const decisionsOf = (text: string): string[] => text.split(/^## /m);

/** Words of a text; what draws a table is none. */
const wordCount = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;

/** Headings of a page with nothing below them before the next one of their level or above. */
const emptyHeadings = (text: string): string[] => {
  const headings = text.split(/^(?=#+ )/m);
  const levelOf = (part: string | undefined) => /^#*/.exec(part ?? '')?.[0].length ?? 0;
  return headings.flatMap((part, index) => {
    const next = levelOf(headings[index + 1]);
    const isEmpty = part.trim().split('\n').length === 1 && part.startsWith('#') && next <= levelOf(part);
    return isEmpty ? [part.trim()] : [];
  });
};

it('the decisions have the numbers from 1 on, each once, in name and title', () => {
  expect(pages.map((page) => Number(basename(page).slice(0, 4)))).toEqual(pages.map((_, index) => index + 1));
  const titles = pages.map((page) => Number(/^# (\d+)\. /.exec(read(page))?.[1]));
  expect(titles).toEqual(pages.map((_, index) => index + 1));
});

it('the index of decisions names each page once, by its title', () => {
  const listed = [...read('docs/adr/README.md').matchAll(/^- \[(.*)\]\((\d.*)\)$/gm)];
  const expected = pages.map((page) => [basename(page), /^# (.*)$/m.exec(read(page))?.[1]]);
  const found = listed.map(([, title = '', page = '']) => [page, title] as const);
  expect(found.toSorted(([one], [other]) => one.localeCompare(other))).toEqual(expected);
});

it.each([...pages, 'docs/adr/README.md'])('no heading of %s is empty', (page) => {
  expect(emptyHeadings(read(page))).toEqual([]);
});

it.each(pages)('no decision of %s has more than 600 words', (page) => {
  const long = decisionsOf(read(page)).filter((each) => wordCount(each) > MOST_WORDS);
  expect(long.map((each) => `${each.split('\n')[0]}: ${wordCount(each)}`)).toEqual([]);
});

it('every decision to which code, tests or pages refer is there', () => {
  const paths = globSync(['{src,tests,bench,scripts}/**/*.ts', '{docs,tests}/**/*.md', 'CONTRIBUTING.md'], {
    cwd: root,
  });
  const unknown = paths.flatMap((path) =>
    [...read(path).matchAll(/\bADRs? (\d+(?:(?:,| and) \d+)*)/g)]
      .flatMap(([, numbers = '']) => numbers.split(/, | and /).map(Number))
      .filter((number) => number < 1 || number > pages.length)
      .map((number) => `${path}: ADR ${number}`),
  );
  expect(paths.length).toBeGreaterThan(1000);
  expect(unknown).toEqual([]);
});

describe('the guards of decisions', () => {
  it('an empty heading is found, and one with a heading of a lower level below it is not', () => {
    expect(emptyHeadings('# A\n\n## B\n\n## C\n\nText.\n\n## D\n')).toEqual(['## B', '## D']);
  });

  it('words are counted in each decision for itself, without what draws a table', () => {
    const page = `# 1. A\n\n## B\n\n${'word '.repeat(10)}\n\n| a | b |\n| --- | --- |\n\n## C\n\nText.\n`;
    expect(decisionsOf(page).map(wordCount)).toEqual([2, 13, 2]);
    expect(decisionsOf('# 1. A\n\nText.\n').map(wordCount)).toEqual([3]);
  });
});
