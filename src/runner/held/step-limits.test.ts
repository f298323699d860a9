import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createStepLimits, momentsOf } from './step-limits.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it.each([
  [300, 60, 240],
  [300, 120, 180],
  [120, 20, 100],
  [60, 60, 30],
])('a step of %i s is warned %i s before its limit, or at half of its time: after %i s', (limit, lead, after) => {
  expect(momentsOf(5_000, limit, lead)).toEqual({ signalAtMs: 5_000 + after * 1000, endAtMs: 5_000 + limit * 1000 });
});

it('each step is warned before its own limit and killed at it, those of the same second together', async () => {
  const sent: [number, readonly string[], string][] = [];
  const limits = createStepLimits({
    signal: 'SIGUSR1',
    leadSeconds: 20,
    send: (ids: readonly string[], signal: string) => sent.push([Date.now() / 1000, ids, signal]),
  });
  limits.begin('a', 0, 60);
  limits.begin('b', 800, 60);
  limits.begin('c', 10_000, 60);
  limits.begin('d', 0, 60);
  await vi.advanceTimersByTimeAsync(30_000);
  limits.forget('d');
  await vi.advanceTimersByTimeAsync(15_000);
  limits.forget('b');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([
    [40, ['a', 'b'], 'SIGUSR1'],
    [50, ['c'], 'SIGUSR1'],
    [60, ['a'], 'SIGKILL'],
    [70, ['c'], 'SIGKILL'],
  ]);
});
