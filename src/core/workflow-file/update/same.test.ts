import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonical, isSame } from './same.ts';

it('two values are the same when their canonical texts are', () => {
  const value = fc.jsonValue({ maxDepth: 3 }).map((each) => JSON.parse(JSON.stringify(each)) as unknown);
  fc.assert(
    fc.property(value, value, (left, right) => {
      expect(isSame(left, right)).toBe(canonical(left) === canonical(right));
      expect(isSame(left, structuredClone(left))).toBe(true);
    }),
  );
});

it('a field that is null is the same as one that is left out, and an empty list is not an empty object', () => {
  expect(isSame({ a: 1, b: null }, { a: 1 })).toBe(true);
  expect(isSame({ a: 1, b: 0 }, { a: 1 })).toBe(false);
  expect(isSame([], {})).toBe(false);
});
