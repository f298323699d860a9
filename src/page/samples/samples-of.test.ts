import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Sample, samplesOf, sampleSteps } from './samples-of.ts';

const sample = (atMs: number): Sample => ({ atMs, cpuPercent: 0, memoryBytes: 0, processes: 1 });
const spans = (times: readonly number[], intervalMs = 10) =>
  sampleSteps(times.map(sample), intervalMs).points.map(({ ms, endMs }) => [ms, endMs]);

it('a sample stands for the time to the next one, however close the first ones are', () => {
  expect(spans([0, 1, 3, 7, 17, 28])).toEqual([
    [0, 1],
    [1, 3],
    [3, 7],
    [7, 17],
    [17, 28],
    [28, 38],
  ]);
});

it('an attempt with one sample is a step of the interval, and one without has none', () => {
  expect(spans([5])).toEqual([[5, 15]]);
  expect(sampleSteps([], 10)).toEqual({ fromMs: 0, untilMs: 1, points: [] });
});

it('a time without samples is a gap, and a sample that is a little late is not', () => {
  expect(spans([0, 10, 20, 200, 210])[2]).toEqual([20, 30]);
  expect(spans([0, 10, 20, 45])[2]).toEqual([20, 45]);
});

it('steps never overlap and never end before they begin, and the whole time has a length', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(1e6)), fc.integer({ min: 1, max: 1e5 }), (times, intervalMs) => {
      const sorted = times.toSorted((one, other) => one - other);
      const { points, fromMs, untilMs } = sampleSteps(sorted.map(sample), intervalMs);
      expect(untilMs).toBeGreaterThan(fromMs);
      for (const [at, { ms, endMs }] of points.entries()) {
        expect(endMs).toBeGreaterThanOrEqual(ms);
        expect(endMs).toBeLessThanOrEqual(points[at + 1]?.ms ?? untilMs);
      }
    }),
  );
});

it('columns become rows, and a reply without columns has none', () => {
  const reply = { job_id: 1, run_id: 1, attempt_id: 1, command: '', interval_seconds: 10 };
  expect(samplesOf(reply)).toEqual([]);
  expect(samplesOf({ ...reply, at_ms: [5], cpu_percent: [50], memory_bytes: [7], num_processes: [2] })).toEqual([
    { atMs: 5, cpuPercent: 50, memoryBytes: 7, processes: 2 },
  ]);
});
