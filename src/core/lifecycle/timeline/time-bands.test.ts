import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AttemptList, createAttemptList, FAILED, type ListedAttempt, RETRY } from './attempt-list.ts';
import { bandsOf, type TimeBand, type TimeWindow } from './time-bands.ts';

const NOW = 1000;
const PARTS = 6;

const attempt = fc
  .record({
    startSeconds: fc.nat(NOW),
    length: fc.nat(200),
    isRunning: fc.boolean(),
    marks: fc.constantFrom(0, FAILED, RETRY, FAILED + RETRY),
    runnerId: fc.nat(PARTS),
  })
  .map(({ startSeconds, length, isRunning, marks, runnerId }): ListedAttempt => ({
    jobId: 1,
    resultId: isRunning ? 0 : 1,
    runnerId,
    startSeconds,
    endSeconds: isRunning ? NaN : startSeconds + length,
    marks: isRunning ? marks & RETRY : marks,
  }));
const attempts = fc.array(attempt, { maxLength: 60 });
const window = fc
  .record({
    fromSeconds: fc.nat(1200),
    length: fc.integer({ min: 1, max: 1300 }),
    bins: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ fromSeconds, length, bins }): TimeWindow => ({ fromSeconds, toSeconds: fromSeconds + length, bins }));

function listOf(all: readonly ListedAttempt[]): AttemptList {
  const builder = createAttemptList(NOW);
  for (const each of all) builder.add(each);
  return builder.finish();
}

function drawn(all: readonly ListedAttempt[], of: TimeWindow, mostBands: number, mostFew = 1000) {
  const list = listOf(all);
  const steps = bandsOf(list, of, { partOf: (at) => list.runners[at] as number, parts: PARTS, mostBands, mostFew });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { ...step.value, list };
  }
}

const sums = (bands: readonly TimeBand[], series: 'running' | 'ended' | 'failed', bins: number) =>
  Array.from({ length: bins }, (_, bin) => bands.reduce((sum, each) => sum + (each.bins[series][bin] as number), 0));
const busy = ({ bins }: TimeBand) => bins.running.reduce((sum, each) => sum + each, 0);

it('the sum over the bands is the whole, however many bands are left out', () => {
  fc.assert(
    fc.property(attempts, window, fc.integer({ min: 1, max: PARTS + 1 }), (all, of, most) => {
      const { whole, bands, bandsLeftOut } = drawn(all, of, most);
      const own = bands.filter(({ part }) => part !== undefined);
      expect(own.length).toBeLessThanOrEqual(most);
      expect(own.length + bandsLeftOut).toBe(
        drawn(all, of, PARTS).bands.filter(({ part }) => part !== undefined).length,
      );
      expect(sums(bands, 'ended', of.bins)).toEqual(whole.bins.ended);
      expect(sums(bands, 'failed', of.bins)).toEqual(whole.bins.failed);
      for (const [bin, sum] of sums(bands, 'running', of.bins).entries())
        expect(sum).toBeCloseTo(whole.bins.running[bin] as number, 6);
      expect(bands.reduce((sum, each) => sum + each.attempts, 0)).toBe(whole.attempts);
      expect(bands.reduce((sum, each) => sum + each.retries, 0)).toBe(whole.retries);
    }),
  );
});

it('the bands that are shown run at least as long as any that is left out, and stand in the order of their parts', () => {
  fc.assert(
    fc.property(attempts, window, fc.integer({ min: 1, max: PARTS }), (all, of, most) => {
      const every = drawn(all, of, PARTS + 1).bands;
      const shown = drawn(all, of, most).bands.flatMap(({ part }) => part ?? []);
      const runs = (part: number) => busy(every.find((each) => each.part === part) as TimeBand);
      const least = Math.min(...shown.map(runs));
      for (const { part } of every)
        if (part !== undefined && !shown.includes(part)) expect(runs(part)).toBeLessThanOrEqual(least + 1e-6);
      expect(shown).toEqual(shown.toSorted((one, other) => one - other));
    }),
  );
});

it('the attempts of a time are those that overlap it, and they are there only if they are few enough', () => {
  fc.assert(
    fc.property(attempts, window, (all, of) => {
      const overlapping = all.flatMap(({ startSeconds, endSeconds }, at) => {
        const end = Number.isNaN(endSeconds) ? NOW : endSeconds;
        return startSeconds <= of.toSeconds && end >= of.fromSeconds ? [at] : [];
      });
      const { few, whole } = drawn(all, of, PARTS);
      expect(few).toEqual(overlapping);
      expect(whole.attempts).toBe(overlapping.length);
      expect(drawn(all, of, PARTS, overlapping.length).few).toEqual(overlapping);
      if (overlapping.length > 0) expect(drawn(all, of, PARTS, overlapping.length - 1).few).toBeUndefined();
    }),
  );
});

it('adjoining times count each end once, unless it lies between them to the second', () => {
  fc.assert(
    fc.property(attempts, fc.integer({ min: 1, max: 1199 }), (all, at) => {
      const ends = (fromSeconds: number, toSeconds: number) =>
        drawn(all, { fromSeconds, toSeconds, bins: 7 }, 1).whole.bins.ended.reduce((sum, each) => sum + each, 0);
      const between = all.filter(({ endSeconds }) => endSeconds === at).length;
      expect(ends(0, at) + ends(at, 1200)).toBe(ends(0, 1200) + between);
    }),
  );
});

it('a list of attempts grows without losing any, and knows its first start and its last end', () => {
  const of = (startSeconds: number, endSeconds: number, runnerId: number) => ({
    jobId: startSeconds,
    resultId: Number.isNaN(endSeconds) ? 0 : startSeconds,
    runnerId,
    startSeconds,
    endSeconds,
    marks: 0,
  });
  const list = listOf(Array.from({ length: 5000 }, (_, index) => of(index + 1, index + 2, 7 + (index % 3))));
  expect([list.length, list.firstSeconds, list.lastSeconds, list.runnerIds]).toEqual([5000, 1, 5001, [7, 8, 9]]);
  expect([list.jobIds[0], list.jobIds[4999], list.runners[4999]]).toEqual([1, 5000, 1]);
  // What runs goes on until now.
  expect(listOf([of(5, NaN, 1)]).lastSeconds).toBe(NOW);
  expect(listOf([]).length).toBe(0);
});
