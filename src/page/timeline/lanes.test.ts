import fc from 'fast-check';
import { expect, it } from 'vitest';
import { areaOf, lanesOf, failureMarks } from './lanes.ts';

it('no bar covers another of its lane, and there are as many lanes as bars at the same time', () => {
  const bar = fc.tuple(fc.nat(1000), fc.nat(100)).map(([fromMs, length]) => ({ fromMs, untilMs: fromMs + length }));
  fc.assert(
    fc.property(fc.array(bar), fc.integer({ min: 1, max: 20 }), (all, least) => {
      const bars = all.toSorted((one, other) => one.fromMs - other.fromMs);
      const lanes = lanesOf(bars, least);
      const drawn = bars.map(({ fromMs, untilMs }, at) => ({
        fromMs,
        untilMs: Math.max(untilMs, fromMs + least),
        lane: lanes[at] as number,
      }));
      for (const [at, one] of drawn.entries())
        for (const other of drawn.slice(at + 1))
          if (one.lane === other.lane) expect(other.fromMs).toBeGreaterThanOrEqual(one.untilMs);
      const together = drawn.map(
        ({ fromMs: ms }) => drawn.filter(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs).length,
      );
      expect(Math.max(0, ...lanes.map((lane) => lane + 1))).toBe(Math.max(0, ...together));
    }),
  );
});

it('an area has a step for each change, and its greatest value is as high as there is room', () => {
  expect(areaOf([0, 2, 2, 1])).toBe('M0 0.86H1V0.04H3V0.42H4V0.86Z');
  expect(areaOf([0, 0])).toBe('M0 0.86H2V0.86Z');
  // One of a hundred thousand is seen.
  expect(areaOf([1, 1e5])).toContain('H0V0.8');
});

it('a mark stands below the line for each part of the time in which something failed, and for no other', () => {
  expect(failureMarks([0, 3, 0])).toBe('M1 .89h1V1h-1z');
  expect(failureMarks([0, 0])).toBe('');
});
