import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { itemsOf, ListsWriter, reversed, type Lists } from './int-list.ts';

const write = (
  lists: readonly (readonly number[])[],
  targets: number,
  limit = 1000,
): { lists: Lists; isFull: boolean } => {
  const writer = new ListsWriter(lists.length, targets, limit);
  for (const list of lists) {
    for (const item of list) writer.add(item);
    writer.next();
  }
  return { lists: writer.done(), isFull: writer.isFull };
};

test('lists are read as they were written, each number once', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat({ max: 9 }))), (given) => {
      const { lists } = write(given, 10);
      expect(given.map((_, at) => [...itemsOf(lists, at)])).toEqual(given.map((list) => [...new Set(list)]));
    }),
  );
});

test('reversed lists contain for each number the lists that it is in', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.nat({ max: 9 }))), (given) => {
      const back = reversed(write(given, 10).lists, 10);
      for (let number = 0; number < 10; number += 1) {
        expect([...itemsOf(back, number)]).toEqual(given.flatMap((list, at) => (list.includes(number) ? [at] : [])));
      }
    }),
  );
});

it('a list stops at its limit, and reports it', () => {
  expect(
    write(
      [
        [1, 2],
        [3, 4],
      ],
      10,
      3,
    ).isFull,
  ).toBe(true);
  expect(write([[1, 2], [3]], 10, 3).isFull).toBe(false);
});
