import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { durationText, marksUpTo, timeMarks } from './scale.ts';
import { thin, type PlotPoint } from './thin.ts';

describe('the marks of an axis', () => {
  it.each([
    [100, [0, 25, 50, 75, 100]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [87, [0, 20, 40, 60, 80, 100]],
    [0, [0, 1]],
  ])('the marks up to %d are round numbers', (highest, marks) => {
    expect(marksUpTo(highest)).toEqual(marks);
  });

  it('a few marks reach the highest value, whatever it is', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e13, noNaN: true }), (highest) => {
        const marks = marksUpTo(highest);
        expect(marks.at(-1) as number).toBeGreaterThanOrEqual(highest * (1 - 1e-6));
        expect(marks.length).toBeGreaterThanOrEqual(4);
        expect(marks.length).toBeLessThanOrEqual(10);
      }),
    );
  });

  it('time marks use usual units of time, and there are never too many', () => {
    expect(timeMarks(60)).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect(timeMarks(4 * 3600)).toEqual([0, 1800, 3600, 5400, 7200, 9000, 10_800, 12_600, 14_400]);
    fc.assert(fc.property(fc.integer({ min: 1, max: 1e9 }), (seconds) => timeMarks(seconds).length < 10));
  });
});

test.each([
  [0.5, '0.5 s'],
  [45, '45 s'],
  [750, '12:30'],
  [11_100, '3:05:00'],
  [187_200, '2d 4:00:00'],
])('%d seconds are shown as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

describe('thinning of points', () => {
  it('too many points are thinned in order, and keep the maximum and the minimum', () => {
    const points = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(points, (values) => {
        const all = values.map((value, at): PlotPoint => [at, value]);
        const kept = thin(all, 40);
        expect(kept.length).toBeLessThanOrEqual(Math.max(40, Math.min(values.length, 40)));
        expect(kept.map(([at]) => at)).toEqual(kept.map(([at]) => at).toSorted((left, right) => left - right));
        const heights = kept.map(([, value]) => value);
        expect([Math.max(...heights), Math.min(...heights)]).toEqual([Math.max(...values), Math.min(...values)]);
      }),
    );
  });

  it('few points are not thinned', () => {
    const few: PlotPoint[] = [
      [0, 1],
      [1, 2],
    ];
    expect(thin(few, 40)).toBe(few);
  });
});
