import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Meaning } from './meaning.ts';
import { createOutage, type Outage } from './outage.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

const away: Meaning = { kind: 'away', reason: 'no answer' };
const behind: Meaning = { kind: 'behind', reason: 'older' };

/** An outage, and what it told: `offline away`, `offline behind`, `online`. */
const outageOf = (patienceMs: number, pingMs = 120_000): { outage: Outage; told: string[] } => {
  const told: string[] = [];
  const outage = createOutage({
    patienceMs,
    pingMs,
    log: { write: () => {}, close: () => {} },
    onOffline: ({ kind }) => void told.push(`offline ${kind}`),
    onOnline: () => void told.push('online'),
  });
  return { outage, told };
};

describe('a server that is away', () => {
  it('is looked for soon and then less often, never more than 5 s apart, as long as patience lasts', () => {
    const { outage, told } = outageOf(1_200_000);
    expect(Array.from({ length: 9 }, () => outage.failed(away))).toEqual([
      50, 100, 200, 400, 800, 1600, 3200, 5000, 5000,
    ]);
    expect([outage.isAway, outage.isOffline, told]).toEqual([true, false, []]);
  });

  it('is an outage when patience is at its end, also without another attempt, and then looked for by the interval', () => {
    const { outage, told } = outageOf(60_000);
    outage.failed(away);
    vi.advanceTimersByTime(59_999);
    expect([outage.isOffline, told]).toEqual([false, []]);
    vi.advanceTimersByTime(1);
    expect([outage.isOffline, told]).toEqual([true, ['offline away']]);
    expect(outage.failed(away)).toBe(120_000);
    expect(told).toEqual(['offline away']);
  });

  it('is an outage at once without patience', () => {
    const { outage, told } = outageOf(0, 7_000);
    expect([outage.failed(away), told]).toEqual([7_000, ['offline away']]);
  });

  it('that answers within patience was none, and the next time patience begins anew', () => {
    const { outage, told } = outageOf(60_000);
    outage.failed(away);
    vi.advanceTimersByTime(50_000);
    outage.answered();
    vi.advanceTimersByTime(50_000);
    expect([outage.isAway, told]).toEqual([false, []]);
    expect(outage.failed(away)).toBe(50);
    vi.advanceTimersByTime(59_999);
    expect(told).toEqual([]);
  });

  it('that answers after it was an outage brings the runner back, once', () => {
    const { outage, told } = outageOf(0);
    outage.failed(away);
    outage.answered();
    outage.answered();
    expect([outage.isAway, outage.isOffline, told]).toEqual([false, false, ['offline away', 'online']]);
  });
});

describe('a server with an older database', () => {
  it('is an outage at once, whatever patience there is', () => {
    const { outage, told } = outageOf(1_200_000, 9_000);
    expect([outage.failed(behind), told]).toEqual([9_000, ['offline behind']]);
  });

  it('is told of after an outage too, and once', () => {
    const { outage, told } = outageOf(0);
    for (const meaning of [away, away, behind, behind, away]) outage.failed(meaning);
    expect(told).toEqual(['offline away', 'offline behind']);
  });
});
