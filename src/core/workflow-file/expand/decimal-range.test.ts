import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { decimalRange } from './decimal-range.ts';

const numbers = (start: string, end: string, step: string): number[] | undefined => {
  const range = decimalRange(start, end, step);
  return range && Array.from({ length: range.length }, (_, index) => range.at(index));
};

test.each([
  ['0', '0.5', '0.1', [0, 0.1, 0.2, 0.3, 0.4, 0.5]],
  ['1', '0', '-0.25', [1, 0.75, 0.5, 0.25, 0]],
  ['1e-3', '3e-3', '1e-3', [0.001, 0.002, 0.003]],
  ['.5', '2.', '.5', [0.5, 1, 1.5, 2]],
  ['-0.3', '0.3', '0.3', [-0.3, 0, 0.3]],
  ['0', '0.35', '0.1', [0, 0.1, 0.2, 0.3]],
  ['0.5', '0.4', '0.1', []],
  ['0', '1', '1e300', [0]],
  ['1e300', '1.1e300', '1e299', [1e300, 1.1e300]],
  ['-0.0', '0.5', '0.5', [-0, 0.5]],
])('%s to %s by %s has the numbers that a person would write', (start, end, step, expected) => {
  expect(numbers(start, end, step)).toEqual(expected);
});

it('includes an end that the step misses by less than 10^-10, as the original does, and no other', () => {
  expect(numbers('0', '1', '0.33333333333')).toHaveLength(4);
  expect(numbers('0', '1', '0.3333333334')).toHaveLength(3);
});

it('includes the end of a long range, where a sum of binary steps misses it', () => {
  expect(decimalRange('0', '1000', '0.1')?.at(10_000)).toBe(1000);
  expect(decimalRange('0', '1000', '0.1')).toHaveLength(10_001);
});

describe('what is no decimal number', () => {
  test.each([
    ['inf', '1', '0.1'],
    ['0', 'nan', '0.1'],
    ['0', '1', '0'],
    ['0', '1e401', '0.5'],
    ['0', '1', '1e-999999999'],
  ])('%s to %s by %s is left to others', (...range) => expect(decimalRange(...range)).toBeUndefined());
});

test('every number is the step times its index from the start, rounded once', () => {
  const hundredths = fc.integer({ min: -1000, max: 1000 });
  fc.assert(
    fc.property(hundredths, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 50 }), (from, by, count) => {
      const text = (value: number) => (value / 100).toFixed(2);
      expect(numbers(text(from), text(from + by * count), text(by))).toEqual(
        Array.from({ length: count + 1 }, (_, index) => (from + by * index) / 100 || 0),
      );
    }),
  );
});
