import { assert, integer, property } from 'fast-check';
import { expect, it, test } from 'vitest';
import { counted, grouped, someOf } from './count-text.ts';

it('whole numbers are grouped as in English texts', () => {
  const english = new Intl.NumberFormat('en-US');
  assert(property(integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (n) => grouped(n) === english.format(n)));
});

test.each([
  [0, '0 jobs'],
  [1, '1 job'],
  [999, '999 jobs'],
  [1204, '1,204 jobs'],
  [1_000_000, '1,000,000 jobs'],
])('%d is written as "%s"', (count, text) => {
  expect(counted(count, 'job')).toBe(text);
});

it('the first five of many are named, and the others are counted', () => {
  expect(someOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, d, e');
  expect(someOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
});
