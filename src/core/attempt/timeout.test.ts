import { expect, it } from 'vitest';
import { hasReached, timeoutOf, timeoutOfClaimed, timeoutWords } from './timeout.ts';

const asks = () => 600;
const asksNothing = () => undefined;
const secondsOf = (...given: Parameters<typeof timeoutOf>) => timeoutOf(...given)?.seconds;

it('a job without a timeout has none, whatever runtime it asks for, and the settings are not asked for its requirements', () => {
  const asked: string[] = [];
  const requested = () => {
    asked.push('requested');
    return 600;
  };
  expect(timeoutOf({}, {}, requested)).toBeUndefined();
  expect(timeoutOf({ timeout: null }, { timeout: null, timeout_by: null }, requested)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('the timeout of the job precedes its runtime as the limit, and that precedes the timeout of the workflow', () => {
  const settings = { timeout: 'PT1H', timeout_by: 'runtime' } as const;
  expect(secondsOf({ timeout: 'PT5S' }, settings, asks)).toBe(5);
  expect(secondsOf({}, settings, asks)).toBe(600);
  expect(secondsOf({}, settings, asksNothing)).toBe(3600);
  expect(secondsOf({}, { timeout: 'PT1H' }, asks)).toBe(3600);
});

it('a job that names no requirements has no runtime that could be its limit, a job with its own has', () => {
  const need = { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
  const by = { timeout_by: 'runtime' } as const;
  expect(timeoutOfClaimed({ need, resource_requirements_id: 1 }, by, 1)).toBeUndefined();
  expect(timeoutOfClaimed({ need, resource_requirements_id: 2 }, by, 1)?.seconds).toBe(60);
});

it('a timeout that cannot be read limits nothing: a server that does not check may have stored it', () => {
  expect(timeoutOf({ timeout: '2h' }, {}, asks)).toBeUndefined();
  expect(timeoutOf({ timeout: 'PT0S' }, {}, asks)).toBeUndefined();
});

it.each([
  [{ timeout: 'PT2S' }, {}, 'it was ended after 2 s, its timeout (timeout: PT2S)'],
  [{ timeout: 'PT90M' }, {}, 'it was ended after 1h 30m, its timeout (timeout: PT90M)'],
  [{}, { timeout: 'PT1H' }, 'it was ended after 1h 00m, its timeout (execution_config.timeout: PT1H)'],
  [
    {},
    { timeout_by: 'runtime' as const },
    'it was ended after 10m 00s, its timeout (runtime: PT10M and timeout_by: runtime)',
  ],
])(
  'the words of an end at the timeout of %j with %j say how long it was, and where it is set',
  (job, settings, words) => {
    const timeout = timeoutOf(job, settings, asks);
    expect(timeout && timeoutWords(timeout, true)).toBe(words);
  },
);

it('a timeout is reached a second before it, because two clocks measure, and not sooner; a requested runtime is never one', () => {
  const own = timeoutOf({ timeout: 'PT10S' }, {}, asks);
  expect([8.9, 9.1, 10, 40].map((seconds) => hasReached(own, seconds))).toEqual([false, true, true, true]);
  expect(hasReached(timeoutOf({}, { timeout_by: 'runtime' }, asks), 700)).toBe(false);
  expect(hasReached(undefined, 700)).toBe(false);
});
