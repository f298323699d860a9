import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { after, repeatEvery, LONGEST_TIMER_MS, pause } from './long-timers.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe.each([1, 1_000, LONGEST_TIMER_MS, LONGEST_TIMER_MS + 1, 60 * DAY_MS])(
  'a timer with a delay of %i ms',
  (delayMs) => {
    it('a timer fires once after its delay, and not before', () => {
      let calls = 0;
      after(delayMs, () => (calls += 1));
      vi.advanceTimersByTime(delayMs - 1);
      expect(calls).toBe(0);
      vi.advanceTimersByTime(1);
      expect(calls).toBe(1);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('a canceled timer leaves no platform timer, however long its delay', () => {
      const timer = after(delayMs, () => expect.unreachable());
      vi.advanceTimersByTime(delayMs - 1);
      timer.cancel();
      expect(vi.getTimerCount()).toBe(0);
    });

    it('an interval fires repeatedly until it is canceled', () => {
      let calls = 0;
      const timer = repeatEvery(delayMs, () => (calls += 1));
      vi.advanceTimersByTime(3 * delayMs - 1);
      expect(calls).toBe(2);
      vi.advanceTimersByTime(1);
      expect(calls).toBe(3);
      timer.cancel();
      expect(vi.getTimerCount()).toBe(0);
    });

    it('a pause resolves after its delay', async () => {
      let isOver = false;
      void pause(delayMs).then(() => (isOver = true));
      await vi.advanceTimersByTimeAsync(delayMs - 1);
      expect(isOver).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(isOver).toBe(true);
    });
  },
);

it.each([0, -5])('a delay of %i ms ends in the next iteration of the event loop', (delayMs) => {
  let calls = 0;
  after(delayMs, () => (calls += 1));
  expect(calls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(calls).toBe(1);
});

it('an infinite delay never ends', () => {
  after(Infinity, () => expect.unreachable());
  vi.advanceTimersByTime(100 * LONGEST_TIMER_MS);
  expect(vi.getTimerCount()).toBe(1);
});

it('an unreferenced timer stays unreferenced beyond the longest timer of the platform', () => {
  vi.useRealTimers();
  const timer = after(LONGEST_TIMER_MS + 1, () => {}).unref();
  const interval = repeatEvery(LONGEST_TIMER_MS + 1, () => {}).unref();
  // If one of them were referenced, the process of this test would not end.
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(2);
  timer.cancel();
  interval.cancel();
});
