import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { NameIndex } from './name-index.ts';
import { UNREAD } from '../shape/check.ts';

const indexOf = (names: readonly string[]): NameIndex => new NameIndex(names.length, (index) => names[index] ?? '');

test('the index finds the first record of each name, and knows every other', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 3 })), (names) => {
      const index = indexOf(names);
      for (const name of names) expect(index.find(name)).toBe(names.indexOf(name));
      expect([...index.duplicates.view()]).toEqual(names.flatMap((name, at) => (names.indexOf(name) < at ? [at] : [])));
    }),
  );
});

it('the index finds a hundred thousand names that differ in their digits', () => {
  const index = new NameIndex(100_000, (number) => `job_${number}`);
  expect(index.find('job_99999')).toBe(99_999);
  expect(index.find('job_100000')).toBe(-1);
  expect(index.duplicates).toHaveLength(0);
});

it('the index does not find records that could not be read', () => {
  const index = indexOf([UNREAD, 'a', UNREAD]);
  expect([index.find(UNREAD), index.find('a')]).toEqual([-1, 1]);
  expect(index.duplicates).toHaveLength(0);
});
