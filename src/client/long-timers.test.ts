import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { after, every, LONGEST_TIMER_MS, pause } from './long-timers.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each([1, 1_000, LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 60 * DAY_MS])('a delay of %i ms', (delayMs) => {
  it('ends after that time, once, and not before', () => {
    let calls = 0;
    after(delayMs, () => (calls += 1));
    vi.advanceTimersByTime(delayMs - 1);
    expect(calls).toBe(0);
    vi.advanceTimersByTime(1);
    expect(calls).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is cancelled leaves no timer, however far it is', () => {
    const timer = after(delayMs, () => expect.unreachable());
    vi.advanceTimersByTime(delayMs - 1);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('as an interval ends again and again, until it is cancelled', () => {
    let calls = 0;
    const timer = every(delayMs, () => (calls += 1));
    vi.advanceTimersByTime(3 * delayMs - 1);
    expect(calls).toBe(2);
    vi.advanceTimersByTime(1);
    expect(calls).toBe(3);
    timer.cancel();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('as a pause resolves after that time', async () => {
    let isOver = false;
    void pause(delayMs).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(delayMs - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });
});

it.each([0, -5])('a delay of %i ms ends in the next turn', (delayMs) => {
  let calls = 0;
  after(delayMs, () => (calls += 1));
  expect(calls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
});

it('an endless delay never ends', () => {
  after(Infinity, () => expect.unreachable());
  vi.advanceTimersByTime(100 * LONGEST_TIMER_MS);
  expect(vi.getTimerCount()).toBe(1);
});

it('a timer that is released stays so beyond the longest timer of the platform', () => {
  vi.useRealTimers();
  const timer = after(LONGEST_TIMER_MS + 1, () => {}).unref();
  const interval = every(LONGEST_TIMER_MS + 1, () => {}).unref();
  // Were one of them held, the process of this test would not end by itself.
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(2);
  timer.cancel();
  interval.cancel();
});
