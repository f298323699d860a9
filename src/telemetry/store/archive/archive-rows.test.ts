import fc from 'fast-check';
import { expect, it } from 'vitest';
import { slicesOfHours } from './archive-rows.ts';

const HOUR = 3600;

it('slices are the whole window one after another, each of a limited number of processes or of one hour', () => {
  const counts = fc.array(fc.nat(50), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(counts, fc.integer({ min: 1, max: 100 }), (found, most) => {
      const hours = found.map((count, index) => ({ from: index * 2 * HOUR, count }));
      const window = { from: -5, until: found.length * 2 * HOUR + 7 };
      const slices = slicesOfHours(hours, window, most);
      expect([slices[0]?.from, slices.at(-1)?.until]).toEqual([window.from, window.until]);
      expect(slices.slice(1).map(({ from }) => from)).toEqual(slices.slice(0, -1).map(({ until }) => until));
      for (const { from, until } of slices) {
        const own = hours.filter((hour) => hour.from >= from && hour.from < until);
        expect(own.length === 1 || own.reduce((sum, { count }) => sum + count, 0) <= most).toBe(true);
      }
    }),
  );
});

it('a job with few processes is read at once, and one that was not there not at all', () => {
  const window = { from: 10, until: 9 * HOUR };
  expect(
    slicesOfHours(
      [
        { from: 0, count: 3 },
        { from: HOUR, count: 4 },
      ],
      window,
    ),
  ).toEqual([window]);
  expect(slicesOfHours([], window)).toEqual([]);
});
