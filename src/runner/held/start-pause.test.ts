import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStartPause } from './start-pause.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a pause ends after its time, and says so once', () => {
  let over = 0;
  const pause = createStartPause(5_000, () => (over += 1));
  pause.begin(100, 'launch');
  expect([pause.isOn, pause.isForRefusal]).toEqual([true, false]);
  vi.advanceTimersByTime(99);
  expect(over).toBe(0);
  vi.advanceTimersByTime(1);
  expect([over, pause.isOn]).toEqual([1, false]);
  vi.advanceTimersByTime(10_000);
  expect(over).toBe(1);
});

it('a pause because of a refusal stays one when another failure prolongs it, and the next is a new one', () => {
  const pause = createStartPause(5_000, () => {});
  pause.begin(5_000, 'refusal');
  vi.advanceTimersByTime(4_950);
  pause.begin(100, 'launch');
  vi.advanceTimersByTime(99);
  expect([pause.isOn, pause.isForRefusal]).toEqual([true, true]);
  vi.advanceTimersByTime(1);
  pause.begin(100, 'launch');
  expect(pause.isForRefusal).toBe(false);
});

it('a pause that is ended does not say that it is over, and none is longer than the longest', () => {
  let over = 0;
  const pause = createStartPause(5_000, () => (over += 1));
  pause.begin(100, 'launch');
  pause.end();
  vi.advanceTimersByTime(1_000);
  expect([over, pause.isOn]).toEqual([0, false]);
  pause.begin(60_000, 'refusal');
  vi.advanceTimersByTime(5_000);
  expect(over).toBe(1);
});
