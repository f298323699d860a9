import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { steadyNow } from '../../client/steady-clock.ts';
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
    send: (ids: readonly string[], signal: string) => sent.push([Math.round(Date.now() / 100) / 10, ids, signal]),
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

it('a job with a timeout has all of it before the signal, and the lead before SIGKILL, also beside a warned step', async () => {
  const sent: [number, readonly string[], string, string][] = [];
  const limits = createStepLimits({
    signal: 'SIGTERM',
    leadSeconds: 10,
    send: (ids, signal, limit) => sent.push([Math.round(Date.now() / 100) / 10, ids, signal, limit]),
  });
  limits.beginTimeout('slow', 0, 5);
  limits.beginTimeout('later', 600, 5);
  limits.beginTimeout('quick', 0, 5);
  limits.begin('step', 0, 60);
  await vi.advanceTimersByTimeAsync(4_900);
  expect(sent).toEqual([]);
  limits.forget('quick');
  await vi.advanceTimersByTimeAsync(3_000);
  limits.forget('later');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([
    [5, ['slow'], 'SIGTERM', 'timeout'],
    [5.6, ['later'], 'SIGTERM', 'timeout'],
    [15, ['slow'], 'SIGKILL', 'timeout'],
    [50, ['step'], 'SIGTERM', 'deadline'],
    [60, ['step'], 'SIGKILL', 'deadline'],
  ]);
});

it('there is one timer for all jobs with a limit, and none before the first and after the last', () => {
  const limits = createStepLimits({ signal: 'SIGTERM', leadSeconds: 10, send() {} });
  limits.forget('without a limit');
  expect(vi.getTimerCount()).toBe(0);
  for (const id of ['a', 'b', 'c']) limits.beginTimeout(id, 0, 5);
  expect(vi.getTimerCount()).toBe(1);
  for (const id of ['a', 'b', 'c']) limits.forget(id);
  expect(vi.getTimerCount()).toBe(0);
});

it('a pause in which the runner did not run, as in a suspended allocation, does not count; a loaded machine does', async () => {
  const sent: string[] = [];
  let passedMs = 0;
  const faked = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => faked() + passedMs);
  onTestFinished(() => clock.mockRestore());
  const limits = createStepLimits({
    signal: 'SIGTERM',
    leadSeconds: 10,
    send: (ids, signal) => sent.push(`${signal} ${ids.join(' ')}`),
  });
  limits.beginTimeout('a', steadyNow(), 100);
  passedMs = 3_600_000;
  await vi.advanceTimersByTimeAsync(98_000);
  expect(sent).toEqual([]);
  passedMs += 3_000;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(sent).toEqual(['SIGTERM a']);
});

it('a job whose end the runner hears of in the turn of its timeout is not signaled: a busy runner hears of ends after its timers', () => {
  const sent: string[] = [];
  const limits = createStepLimits({
    signal: 'SIGTERM',
    leadSeconds: 10,
    send: (ids, signal) => sent.push(`${signal} ${ids.join(' ')}`),
  });
  limits.beginTimeout('ended', steadyNow(), 5);
  limits.beginTimeout('runs', steadyNow(), 5);
  setTimeout(() => limits.forget('ended'), 5_000);
  vi.advanceTimersByTime(5_001);
  expect(sent).toEqual(['SIGTERM runs']);
});
