import { expect, it } from 'vitest';
import { greatest, smallest } from './extremes.ts';

const many = Array.from({ length: 1_000_000 }, (_, index) => (index * 7919) % 1_000_003);

it('the greatest and the smallest of a million numbers are found', () => {
  expect(greatest(many)).toBe(1_000_002);
  expect(smallest(many)).toBe(0);
});

it('the bound is returned when all numbers are beyond it, or when there are none', () => {
  expect([greatest([-3, -1], 0), greatest([3], 0), greatest([], 0), greatest([])]).toEqual([0, 3, 0, -Infinity]);
  expect([smallest([3, 1], 0), smallest([-3], 0), smallest([], 0), smallest([])]).toEqual([0, -3, 0, Infinity]);
});

it('NaN among the numbers gives NaN, as with Math.max', () => {
  expect([greatest([1, Number.NaN]), smallest([1, Number.NaN])]).toEqual([Number.NaN, Number.NaN]);
});
