import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ExchangeReply } from '../../core/contract/exchange.ts';
import { createIdlePolicy } from './idle-policy.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const counts = { ready: 1, pending: 0, running: 0, blocked: 0, uninitialized: 0, pending_failed: 0 };
const reply = { jobs_by_status: counts, is_complete: false } as ExchangeReply;

/** A runner without jobs, while there is a job that it cannot take. */
function resting({ idleMs = 0, baseMs = 5_000, children = false }) {
  const startedAt = performance.now();
  const reported = { polls: 0, left: [] as string[], said: [] as string[] };
  const idlePolicy = createIdlePolicy({
    baseMs,
    capMs: baseMs,
    idleMs,
    stuckMs: 0,
    staysAlways: false,
    hasOpenJobs: undefined,
    held: () => 0,
    hasChildren: () => children,
    lastProgress: () => startedAt,
    onPoll: () => (reported.polls += 1),
    onLeave: ({ ending }) => reported.left.push(ending),
    staysForLimits: true,
    onReport: (words) => reported.said.push(words),
  });
  idlePolicy.consider(reply);
  return { idlePolicy, reported };
}

describe('an idle runner', () => {
  it.each([60_000, 60 * DAY_MS])('an idle runner exits after its idle time of %i ms, and not before', (idleMs) => {
    const { idlePolicy, reported } = resting({ idleMs });
    vi.advanceTimersByTime(idleMs - 1);
    expect(reported.left).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(reported.left).toEqual(['idle']);
    idlePolicy.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('an idle runner without an idle time never exits', () => {
    const { idlePolicy, reported } = resting({});
    vi.advanceTimersByTime(DAY_MS);
    expect(reported.left).toEqual([]);
    idlePolicy.close();
  });

  it('an idle runner leaves at once when jobs are left that nothing can make ready, but not while the server still releases jobs', () => {
    const { idlePolicy, reported } = resting({});
    const stuck = { jobs_by_status: { ...counts, ready: 0, blocked: 3 }, is_complete: false } as ExchangeReply;
    idlePolicy.consider({ ...stuck, is_releasing: true });
    vi.advanceTimersByTime(DAY_MS);
    expect(reported.left).toEqual([]);
    idlePolicy.consider(stuck);
    expect(reported.left).toEqual(['stuck']);
    idlePolicy.close();
  });

  it('an idle runner stays while jobs wait for a limit, and says so once, when it lasts for a second', () => {
    const { idlePolicy, reported } = resting({ idleMs: 60_000 });
    const limited = {
      ...reply,
      waiting_limits: [{ scope: 'server', name: 'matlab', most: 4, held: 4, needs: 1 }],
    } as unknown as ExchangeReply;
    idlePolicy.consider(limited);
    vi.advanceTimersByTime(999);
    expect(reported.said).toEqual([]);
    idlePolicy.consider(limited);
    vi.advanceTimersByTime(1_000);
    idlePolicy.consider(limited);
    vi.advanceTimersByTime(DAY_MS);
    expect([reported.said.length, reported.left]).toEqual([1, []]);
    idlePolicy.consider(reply);
    vi.advanceTimersByTime(60_000);
    expect(reported.left).toEqual(['idle']);
    idlePolicy.close();
  });

  it('an idle runner polls the server at its interval while jobs run, also at an interval of a month', () => {
    const baseMs = 30 * DAY_MS;
    const { idlePolicy, reported } = resting({ baseMs, children: true });
    vi.advanceTimersByTime(baseMs - 1);
    expect(reported.polls).toBe(0);
    vi.advanceTimersByTime(1);
    expect(reported.polls).toBe(1);
    idlePolicy.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
