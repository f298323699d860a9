import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { startHeartbeat } from './heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a side that answers nothing to three questions is silent, and this is reported once', async () => {
  const ask = vi.fn();
  const onSilent = vi.fn();
  startHeartbeat({ ask, onSilent });
  await vi.advanceTimersByTimeAsync(59_000);
  expect([ask.mock.calls.length, onSilent.mock.calls.length]).toEqual([3, 0]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect([ask.mock.calls.length, onSilent.mock.calls.length]).toEqual([3, 1]);
});

it('a side that answers is never silent, and none is after the end', async () => {
  const onSilent = vi.fn();
  const heartbeat = startHeartbeat({ ask: () => heartbeat.heard(), onSilent });
  await vi.advanceTimersByTimeAsync(600_000);
  heartbeat.close();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(onSilent).not.toHaveBeenCalled();
});
