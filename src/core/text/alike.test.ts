import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { alikeOf } from './alike.ts';

const grouped = (...items: readonly (readonly [name: string, text: string])[]) =>
  alikeOf(
    items,
    ([name]) => name,
    ([, text]) => text,
  ).map(({ items: all, name, text }) => [all.length, name, text]);

it('names and texts that differ only in the numbers of the names are one line', () => {
  expect(
    grouped(['align_1', 'raw/1.fastq: 20 → 30'], ['align_2', 'raw/2.fastq: 20 → 30'], ['sort', 'raw/2.fastq']),
  ).toEqual([
    [2, 'align_#', 'raw/#.fastq: 20 → 30'],
    [1, 'sort', 'raw/2.fastq'],
  ]);
});

it('a number that is the same in all stands as it is, also if a name has it', () => {
  expect(grouped(['align_20', 'score 30 → 20'], ['align_30', 'score 30 → 20'])).toEqual([
    [2, 'align_#', 'score 30 → 20'],
  ]);
});

it('a single item keeps its numbers, and a text that differs in a word is a line of its own', () => {
  expect(grouped(['align_1', 'raw/1 is newer'], ['align_2', 'raw/2 is missing'])).toEqual([
    [1, 'align_1', 'raw/1 is newer'],
    [1, 'align_2', 'raw/2 is missing'],
  ]);
  expect(grouped(['align_01', 'raw/1'], ['align_02', 'raw/2'])).toEqual([[2, 'align_#', 'raw/#']]);
});

test('every item is in one group, and the groups stand in the order of their first items', () => {
  const item = fc.tuple(fc.constantFrom('a_1', 'a_2', 'b', 'a_10'), fc.constantFrom('x 1', 'x 2', 'y', 'x 10'));
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const groups = alikeOf(
        items,
        ([name]) => name,
        ([, text]) => text,
      );
      const inOrder = (all: readonly (readonly string[])[]) => all.map((each) => each.join('\0')).toSorted();
      expect(inOrder(groups.flatMap(({ items: all }) => all))).toEqual(inOrder(items));
      const firsts = groups.map(({ items: [first] }) => items.indexOf(first as (typeof items)[number]));
      expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
    }),
  );
});
