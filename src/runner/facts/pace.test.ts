import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aheadOf,
  createRate,
  GATHER_LOW_MS,
  GATHER_MS,
  MOST_AHEAD,
  nextExchange,
  nextPoll,
  type Situation,
  type PollWait,
} from './pace.ts';

const anySituation = fc.record({
  ahead: fc.nat(200),
  queued: fc.nat(200),
  hasRoom: fc.boolean(),
  slots: fc.integer({ min: 1, max: 128 }),
  hasNews: fc.boolean(),
  workMayBeReady: fc.boolean(),
});

describe("the time until a runner's next exchange", () => {
  const calm: Situation = { queued: 0, ahead: 0, hasRoom: false, slots: 4, hasNews: false, workMayBeReady: false };

  it.each<[string, Partial<Situation>, number | undefined]>([
    ['at once when a slot is idle and jobs may be ready', { hasRoom: true, workMayBeReady: true }, 0],
    ['never when a slot is idle and no job can be ready', { hasRoom: true }, undefined],
    ['never when jobs may be ready but no slot is free', { workMayBeReady: true }, undefined],
    [
      'not at once while jobs still wait in the queue for the slot',
      { hasRoom: true, workMayBeReady: true, queued: 1 },
      undefined,
    ],
    [
      'soon when its queue is short and jobs may be ready',
      { hasNews: true, workMayBeReady: true, queued: 4 },
      GATHER_LOW_MS,
    ],
    [
      'later when jobs that were claimed ahead will last',
      { hasNews: true, workMayBeReady: true, queued: 3, ahead: 2 },
      GATHER_MS,
    ],
    ['later when its queue will last', { hasNews: true, workMayBeReady: true, queued: 5 }, GATHER_MS],
    ['later when no job can be ready, whether or not a slot is idle', { hasNews: true, hasRoom: true }, GATHER_MS],
  ])('a runner sends an exchange %s', (_, differs, delayMs) => {
    expect(nextExchange({ ...calm, ...differs })).toBe(delayMs);
  });

  it('with entries an exchange is sent within the interval, without entries only if jobs may be ready', () => {
    fc.assert(
      fc.property(anySituation, (situation) => {
        const delayMs = nextExchange(situation);
        if (situation.hasNews) return delayMs !== undefined && delayMs >= 0 && delayMs <= GATHER_MS;
        return delayMs === undefined || (delayMs === 0 && situation.workMayBeReady && situation.hasRoom);
      }),
    );
  });
});

describe('jobs claimed ahead', () => {
  it('as many jobs are claimed ahead as end in two intervals, and one for each slot', () => {
    expect(aheadOf(200, 4)).toBe((2 * GATHER_MS * 200) / 1000 + 4);
  });

  it.each([
    ['no job has ended yet', 0, 4],
    ['the clock has run backwards', -1, 4],
    ['a job takes a second, because another runner may be free before', 4, 4],
  ])('no job is claimed ahead when %s', (_, endsPerSecond, slots) => {
    expect(aheadOf(endsPerSecond, slots)).toBe(0);
  });

  it('the number of jobs claimed ahead is a whole number, at most the maximum, and grows with the rate', () => {
    const anyRate = fc.double({ min: 0, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(anyRate, anyRate, fc.integer({ min: 1, max: 1024 }), (one, other, slots) => {
        const [slow, fast] = [Math.min(one, other), Math.max(one, other)].map((rate) => aheadOf(rate, slots));
        return Number.isInteger(slow) && (slow as number) >= 0 && (slow as number) <= (fast as number);
      }),
    );
    expect(aheadOf(1e9, 1)).toBe(MOST_AHEAD);
  });
});

describe('the polling interval without an event stream', () => {
  const waiting: PollWait = { baseMs: 1_000, capMs: 8_000, lastMs: 1_000, madeProgress: false, hasChildren: true };

  it.each<[string, Partial<PollWait>, number]>([
    ['the base after progress', { madeProgress: true, lastMs: 8_000 }, 1_000],
    ['twice the interval when nothing happened', {}, 2_000],
    ['the cap, however long nothing happened', { lastMs: 8_000 }, 8_000],
    ['the base when the cap is smaller', { capMs: 1 }, 1_000],
    ['the base while no job runs', { hasChildren: false, lastMs: 8_000 }, 1_000],
    ['after 30 s while nothing runs, however large the base', { hasChildren: false, baseMs: 90_000 }, 30_000],
    ['a base beyond 30 s while a job runs', { baseMs: 90_000, madeProgress: true }, 90_000],
  ])('the polling interval is %s', (_, differs, delayMs) => {
    expect(nextPoll({ ...waiting, ...differs })).toBe(delayMs);
  });
});

describe('the rate of ends', () => {
  const steady = (endsPerSecond: number, forMs: number) => {
    const rate = createRate();
    const everyMs = 100;
    for (let nowMs = 0; nowMs <= forMs; nowMs += everyMs) rate.ended((endsPerSecond * everyMs) / 1000, nowMs);
    return rate;
  };

  it('the rate is 0 before the first end', () => {
    expect(createRate().perSecond(1_000)).toBe(0);
  });

  it('the rate is that of a steady stream of ends', () => {
    expect(steady(500, 3_000).perSecond(3_000)).toBeCloseTo(500, 0);
  });

  it('the rate drops to 0 in a long pause', () => {
    const rate = steady(500, 3_000);
    expect(rate.perSecond(3_000)).toBeGreaterThan(400);
    expect(rate.perSecond(63_000)).toBeLessThan(1);
  });
});
