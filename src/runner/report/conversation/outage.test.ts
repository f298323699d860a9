import { describe, expect, it } from 'vitest';
import type { ExchangeFailure } from '../failed-exchange.ts';
import {
  type OutageEffect,
  type OutageState,
  patienceEnded,
  SERVER_ANSWERS,
  serverAnswered,
  serverFailed,
} from './outage.ts';

const away: ExchangeFailure = { kind: 'away', reason: 'no answer' };
const behind: ExchangeFailure = { kind: 'behind', reason: 'older' };
const words = (effects: readonly OutageEffect[]) =>
  effects.map((effect) => (effect.kind === 'offline' ? `offline ${effect.failure.kind}` : effect.kind));

/** Failures one after another, 1 s apart: the state after them, the pauses, and the reports. */
function failures(meanings: readonly ExchangeFailure[], patienceMs: number, pingMs = 120_000) {
  let outage: OutageState = SERVER_ANSWERS;
  const pauses: number[] = [];
  const reported: string[] = [];
  for (const [second, failure] of meanings.entries()) {
    const step = serverFailed(outage, failure, second * 1_000, { patienceMs, pingMs });
    outage = step.outage;
    pauses.push(step.pauseMs);
    reported.push(...words(step.effects));
  }
  return { outage, pauses, reported };
}

describe('a server that does not answer', () => {
  it('a missing server is retried soon and then less often, at most 5 s apart, while the runner waits', () => {
    const { outage, pauses, reported } = failures(
      Array.from({ length: 9 }, () => away),
      1_200_000,
    );
    expect(pauses).toEqual([50, 100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    expect([outage.isOffline, outage.patienceEndsAtMs, reported]).toEqual([false, 1_200_000, ['server-away']]);
  });

  it("a missing server is offline after the runner's waiting time, and is then retried at the ping interval", () => {
    const { outage } = failures([away], 60_000);
    const ended = patienceEnded(outage);
    expect([ended.outage.isOffline, words(ended.effects)]).toEqual([true, ['offline away']]);
    const next = serverFailed(ended.outage, away, 61_000, { patienceMs: 60_000, pingMs: 7_000 });
    expect([next.pauseMs, next.effects]).toEqual([7_000, []]);
  });

  it('a missing server is offline at once for a runner without a waiting time', () => {
    expect(failures([away], 0, 7_000)).toMatchObject({ pauses: [7_000], reported: ['server-away', 'offline away'] });
  });

  it('a server that answers in time was never offline, and the next outage has the full waiting time', () => {
    const { outage } = failures([away, away], 60_000);
    const back = serverAnswered(outage, 5_000);
    expect([back.outage, back.effects]).toEqual([SERVER_ANSWERS, [{ kind: 'server-back', awayMs: 5_000 }]]);
  });

  it('a server that answers after it was offline brings the runner back online once', () => {
    const { outage } = failures([away], 0);
    const back = serverAnswered(outage, 9_000);
    expect(words(back.effects)).toEqual(['server-back', 'online']);
    expect(serverAnswered(back.outage, 9_001).effects).toEqual([]);
  });
});

describe('a server with an older database', () => {
  it('a server with an older database is offline at once, regardless of the waiting time', () => {
    expect(failures([behind], 1_200_000, 9_000)).toMatchObject({ pauses: [9_000], reported: ['offline behind'] });
  });

  it('a server that will not answer any more is not waited for, and one that is away is', () => {
    expect(failures([{ ...away, isForGood: true }], 1_200_000, 9_000)).toMatchObject({
      pauses: [9_000],
      reported: ['server-away', 'offline away'],
    });
    expect(failures([away, away], 1_200_000, 9_000).reported).toEqual(['server-away']);
  });

  it('an older database is also reported after an outage, once', () => {
    const { reported } = failures([away, away, behind, behind, away], 0);
    expect(reported).toEqual(['server-away', 'offline away', 'offline behind']);
  });
});
