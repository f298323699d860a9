import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { steadyNow } from '../../client/steady-clock.ts';
import { createTimeLimit } from './time-limit.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

/** A runner of an hour whose end is at the minute that `end` says. */
function limitOf(end: (() => Promise<number | undefined>) | undefined) {
  const changed: number[] = [];
  const due: number[] = [];
  const startedAtMs = steadyNow();
  const minute = (atMs: number) => Math.round((atMs - startedAtMs) / MINUTE_MS);
  const limit = createTimeLimit({
    startedAtMs,
    endAtMs: startedAtMs + 60 * MINUTE_MS,
    headroomSeconds: 60,
    leadSeconds: 60,
    ask: end && (async () => secondsTo(await end())),
    log: { write() {}, close() {} },
    onChanged: (endAtMs) => changed.push(minute(endAtMs)),
    onDue: () => due.push(minute(steadyNow())),
  });
  const secondsTo = (atMs: number | undefined) =>
    atMs === undefined ? undefined : (startedAtMs + atMs - steadyNow()) / 1000;
  limit.begin();
  return { limit, changed, due, pass: (minutes: number) => vi.advanceTimersByTimeAsync(minutes * MINUTE_MS) };
}

describe('the time limit of a runner', () => {
  it('jobs are ended the headroom and the lead before the end', async () => {
    const { due, pass } = limitOf(undefined);
    await pass(61);
    expect(due).toEqual([58]);
  });

  it('an allocation that was made longer is noticed before its jobs are ended', async () => {
    let end = 60;
    const { changed, due, pass } = limitOf(async () => end * MINUTE_MS);
    await pass(56.9);
    end = 90;
    await pass(20);
    expect([changed, due]).toEqual([[90], []]);
    await pass(20);
    expect(due).toEqual([88]);
  });

  it('an allocation that was made shorter is noticed within five minutes', async () => {
    let end = 60;
    const { changed, due, pass } = limitOf(async () => end * MINUTE_MS);
    await pass(1);
    end = 20;
    await pass(30);
    expect([changed, due]).toEqual([[20], [18]]);
  });

  it('an end that cannot be read, or that has no time, changes nothing', async () => {
    let calls = 0;
    const answers = [() => Promise.reject(new Error('squeue is away')), () => Promise.resolve(undefined)];
    const { changed, due, pass } = limitOf(() => (answers[calls++ % 2] as () => Promise<undefined>)());
    await pass(61);
    expect([changed, due, calls > 10]).toEqual([[], [58], true]);
  });

  it.each([
    ['back by an hour', -60],
    ['forward by an hour', 60],
  ])('a clock of the node that is set %s moves neither the end nor the question for it', async (_, minutes) => {
    const { changed, due, pass } = limitOf(async () => 60 * MINUTE_MS);
    await pass(10);
    vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
    await pass(51);
    expect([changed, due]).toEqual([[], [58]]);
  });

  it('nothing happens after it was closed', async () => {
    const { limit, due, pass } = limitOf(async () => 60 * MINUTE_MS);
    limit.close();
    await pass(61);
    expect(due).toEqual([]);
  });
});
