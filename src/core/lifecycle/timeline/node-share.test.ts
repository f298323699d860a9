import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharesOf } from './node-share.ts';
import { createBins } from './time-bins.ts';

const whole = { fromSeconds: 0, toSeconds: 40, bins: 4, capacity: 8 };

it('the share of a node is null before its runner came and after it left, and 0 while it was idle', () => {
  const lifetimes = [{ startSeconds: 10, endSeconds: 30 }];
  expect(sharesOf([0, 4, 0, 0], { ...whole, lifetimes })).toEqual([null, 0.5, 0, null]);
  expect(sharesOf(undefined, { ...whole, lifetimes })).toEqual([null, 0, 0, null]);
});

it('a part in which a job ran has a share although the record of its runner says less', () => {
  expect(sharesOf([16, 0, 0, 0], { ...whole, lifetimes: [] })).toEqual([2, null, null, null]);
});

it('the shares of all parts are what the jobs took of the node over the whole time', () => {
  const job = fc.record({ startSeconds: fc.nat(39), length: fc.nat(60), weight: fc.integer({ min: 1, max: 8 }) });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 30 }), (jobs) => {
      const bins = createBins(whole.fromSeconds, whole.toSeconds, whole.bins);
      for (const { startSeconds, length, weight } of jobs)
        bins.add({ startSeconds, endSeconds: startSeconds + length, hasEnded: true, hasFailed: false, weight });
      const lifetimes = [{ startSeconds: 0, endSeconds: Infinity }];
      const shares = sharesOf(bins.finish().running, { ...whole, lifetimes });
      const took = jobs.reduce(
        (sum, { startSeconds, length, weight }) => sum + weight * (Math.min(40, startSeconds + length) - startSeconds),
        0,
      );
      expect(shares.reduce<number>((sum, share) => sum + (share ?? NaN), 0)).toBeCloseTo(took / whole.capacity / 10, 2);
    }),
  );
});
