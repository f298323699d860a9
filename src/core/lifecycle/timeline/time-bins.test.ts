import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AttemptSpan, createBins } from './time-bins.ts';

const binsOf = (attempts: readonly AttemptSpan[], from: number, to: number, bins: number) => {
  const builder = createBins(from, to, bins);
  for (const each of attempts) builder.add(each);
  return builder.finish();
};

it('an attempt runs in the parts that it touches, and ends in one', () => {
  expect(binsOf([{ startSeconds: 5, endSeconds: 25, hasEnded: true, hasFailed: true }], 0, 40, 4)).toEqual({
    fromSeconds: 0,
    binSeconds: 10,
    running: [0.5, 1, 0.5, 0],
    ended: [0, 0, 1, 0],
    failed: [0, 0, 1, 0],
  });
});

it('an attempt that has not ended runs until now, also in a time that goes on after that, and ends nowhere', () => {
  const { running, ended } = binsOf(
    [{ startSeconds: 10, endSeconds: 25, hasEnded: false, hasFailed: false }],
    0,
    40,
    4,
  );
  expect([running, ended]).toEqual([
    [0, 1, 0.5, 0],
    [0, 0, 0, 0],
  ]);
});

it('an attempt counts as far as it overlaps the time, and one that does not changes nothing', () => {
  const of = (startSeconds: number, endSeconds: number) => ({
    startSeconds,
    endSeconds,
    hasEnded: true,
    hasFailed: true,
  });
  const { running, ended, failed } = binsOf([of(0, 15), of(35, 90), of(0, 9), of(51, 60)], 10, 50, 4);
  expect(running).toEqual([0.5, 0, 0.5, 1]);
  expect(ended).toEqual([1, 0, 0, 0]);
  expect(failed).toEqual(ended);
});

it('an attempt at the very end counts in the last part', () => {
  expect(binsOf([{ startSeconds: 40, endSeconds: 40, hasEnded: true, hasFailed: false }], 0, 40, 4).ended).toEqual([
    0, 0, 0, 1,
  ]);
});

it('the time that attempts run is the same in the parts as in the attempts, however many parts there are', () => {
  const attempt = fc.tuple(fc.nat(1000), fc.nat(500), fc.boolean()).map(([start, length, hasFailed]) => ({
    startSeconds: start,
    endSeconds: start + length,
    hasEnded: true,
    hasFailed,
  }));
  fc.assert(
    fc.property(fc.array(attempt), fc.integer({ min: 1, max: 50 }), (attempts, bins) => {
      const { running, ended, failed, binSeconds } = binsOf(attempts, 0, 1500, bins);
      const sum = (list: readonly number[]) => list.reduce((total, each) => total + each, 0);
      const seconds = attempts.reduce((total, each) => total + each.endSeconds - each.startSeconds, 0);
      expect(sum(running) * binSeconds).toBeCloseTo(seconds, 3);
      expect(sum(ended)).toBe(attempts.length);
      expect(sum(failed)).toBe(attempts.filter(({ hasFailed }) => hasFailed).length);
      expect(running.every((each) => each > -1e-9)).toBe(true);
    }),
  );
});
