import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type CauseRules, readCauseRules, readCauses, storedRules } from './cause-rules.ts';
import { backoffSeconds, type MeasuredFailure, memoryAmountText, raisedName, verdictByCause } from './cause-verdict.ts';

const MEBIBYTE = 2 ** 20;
const problemsOf = (fields: Readonly<Record<string, unknown>>): string[] => {
  const found: string[] = [];
  readCauseRules(fields, ({ path, message }) => found.push(`${path.join('.')} | ${message}`));
  return found;
};
const rules = (fields: Readonly<Record<string, unknown>>): CauseRules =>
  readCauseRules(fields, ({ message }) => {
    throw new Error(message);
  });

describe('the fields of a failure handler about causes', () => {
  test.each<[Readonly<Record<string, unknown>>, string]>([
    [{ on_oom: 'x1.5' }, 'on_oom | on_oom: expected {memory: x1.5}, found "x1.5"'],
    [
      { on_oom: {} },
      'on_oom.memory | on_oom.memory: expected x and a factor from 1.1 to 100, such as x1.5, found nothing',
    ],
    [
      { on_oom: { memory: 1.5 } },
      'on_oom.memory | on_oom.memory: expected x and a factor from 1.1 to 100, such as x1.5, found 1.5',
    ],
    [{ on_oom: { memory: 'x1' } }, 'found "x1"'],
    [{ on_oom: { memory: 'x1000' } }, 'found "x1000"'],
    [{ on_oom: { memory: 'x-2' } }, 'found "x-2"'],
    [{ on_oom: { memory: 'x2', max: '64 GB' } }, 'on_oom.max | on_oom.max: expected a size such as 64g, found "64 GB"'],
    [{ on_oom: { memory: 'x2', max: 64 } }, 'on_oom.max: expected a size such as 64g, found 64'],
    [{ on_oom: { memory: 'x2', max: '0g' } }, 'found "0g"'],
    [{ on_oom: { memory: 'x2', max_retries: 0 } }, 'on_oom.max_retries: expected a whole number from 1, found 0'],
    [
      { on_timeout: { runtime: 'x2', max: '24h' } },
      'on_timeout.max: expected an ISO 8601 duration such as PT24H, found "24h"',
    ],
    [{ on_timeout: { memory: 'x2' } }, 'on_timeout.runtime: expected x and a factor'],
    [{ on_node_fail: true }, 'on_node_fail | on_node_fail: expected retry or fail, found true'],
    [{ backoff: 'PT30S' }, 'backoff | backoff: expected {initial: PT30S}, found "PT30S"'],
    [{ backoff: {} }, 'backoff.initial: expected an ISO 8601 duration such as PT30S, found nothing'],
    [{ backoff: { initial: 'PT5S', factor: 0.5 } }, 'backoff.factor: expected a number from 1 to 100, found 0.5'],
    [
      { backoff: { initial: 'PT5S', max: '1h' } },
      'backoff.max: expected an ISO 8601 duration such as PT1H, found "1h"',
    ],
  ])('%j is refused with its field, what was found and what is expected', (fields, message) => {
    const [first = '', ...more] = problemsOf(fields);
    expect(first).toContain(message);
    expect(more).toEqual([]);
  });

  it('null means that a field is absent', () => {
    const fields = { on_oom: null, on_timeout: null, on_node_fail: null, backoff: null };
    expect(problemsOf(fields)).toEqual([]);
    expect(rules(fields)).toEqual({
      memory: undefined,
      time: undefined,
      retriesNodeFailure: false,
      backoff: undefined,
    });
  });
});

describe('the stored form of a failure handler', () => {
  it('rules of Torc 1.0.0 are stored as they are', () => {
    const given = [{ exit_codes: [1], max_retries: 2 }];
    expect(storedRules({ rules: given })).toEqual(given);
    expect(storedRules({ rules: [] })).toEqual([]);
  });

  it('fields about causes stand in one more entry that names no exit code, and are read back from it', () => {
    const handler = { name: 'h', rules: [{ exit_codes: [7] }], on_oom: { memory: 'x2' }, on_node_fail: 'retry' };
    const stored = storedRules(handler);
    expect(stored).toEqual([{ exit_codes: [7] }, { on_oom: { memory: 'x2' }, on_node_fail: 'retry' }]);
    expect(readCauses(JSON.stringify(stored))).toEqual(rules(handler));
  });

  it('a handler without such fields has no rules about causes', () => {
    expect(readCauses('[{"exit_codes":[1]},{"match_all_exit_codes":true}]')).toBeUndefined();
    expect(readCauses('[]')).toBeUndefined();
    expect(readCauses('{}')).toBeUndefined();
  });

  it('a wrong value that the server stored is an error with its place', () => {
    expect(() => readCauses('[{"on_oom":{"memory":"1.5"}}]')).toThrow('on_oom.memory: expected x and a factor');
  });
});

const attempt = (over: Partial<MeasuredFailure> = {}): MeasuredFailure => ({
  cause: 'memory',
  attempt: 1,
  need: { memory_bytes: 200 * MEBIBYTE, runtime_seconds: 3600 },
  seconds: 10,
  peakMemoryBytes: undefined,
  ...over,
});
const grow = rules({ on_oom: { memory: 'x1.5', max: '400m' }, on_timeout: { runtime: 'x1.5', max: 'PT2H' } });

describe('a job that ran out of memory', () => {
  it('it runs again with the factor more', () => {
    expect(verdictByCause(grow, attempt())).toEqual({
      kind: 'again',
      words: 'it had 200 MiB; the next attempt has 300 MiB (on_oom)',
      raise: { memory_bytes: 300 * MEBIBYTE },
      isRefunded: false,
      maxRetries: undefined,
    });
  });

  it('it is raised as often as it takes to exceed what it used, up to the maximum', () => {
    const raised = (peakMemoryBytes: number, max = '64g') =>
      verdictByCause(rules({ on_oom: { memory: 'x1.5', max } }), attempt({ peakMemoryBytes }));
    expect(raised(310 * MEBIBYTE)).toMatchObject({ raise: { memory_bytes: 450 * MEBIBYTE } });
    expect(raised(310 * MEBIBYTE, '400m')).toMatchObject({ raise: { memory_bytes: 400 * MEBIBYTE } });
  });

  it('with the maximum it fails for good, and the cause says so', () => {
    const need = { memory_bytes: 400 * MEBIBYTE, runtime_seconds: 60 };
    const verdict = verdictByCause(grow, attempt({ need, attempt: 2 }));
    expect(verdict).toEqual({ kind: 'stays', words: 'it had 400 MiB, the max of on_oom', limit: 'max' });
  });

  it('what it had and what the next attempt has is said in the units of what it used', () => {
    const words = (mebibytes: number) =>
      verdictByCause(
        rules({ on_oom: { memory: 'x2' } }),
        attempt({
          need: { memory_bytes: 2048 * MEBIBYTE, runtime_seconds: 60 },
          peakMemoryBytes: mebibytes * MEBIBYTE,
        }),
      )?.words;
    expect([words(394), words(2028)]).toEqual([
      'it had 2 GiB; the next attempt has 4 GiB (on_oom)',
      'it had 2048 MiB; the next attempt has 4096 MiB (on_oom)',
    ]);
  });

  it('without a maximum it runs three times, or as often as max_retries says', () => {
    const usual = rules({ on_oom: { memory: 'x2' } });
    expect(verdictByCause(usual, attempt({ attempt: 2 }))?.kind).toBe('again');
    const last = verdictByCause(usual, attempt({ attempt: 3 }));
    expect(last).toEqual({
      kind: 'stays',
      words: 'it had 200 MiB in attempt 3, the last that on_oom allows',
      limit: 'attempts',
    });
    const once = rules({ on_oom: { memory: 'x2', max: '64g', max_retries: 1 } });
    expect(verdictByCause(once, attempt())?.kind).toBe('stays');
  });

  it('a handler that says nothing about memory decides by exit code', () => {
    expect(verdictByCause(rules({ on_node_fail: 'retry' }), attempt())).toBeUndefined();
    expect(verdictByCause(undefined, attempt())).toBeUndefined();
  });

  test('every chain of attempts grows, stays within the maximum and ends', () => {
    const amounts = fc.record({
      factor: fc.integer({ min: 11, max: 500 }),
      had: fc.integer({ min: 1, max: 2 ** 40 }),
      max: fc.integer({ min: 1, max: 2 ** 20 }),
      peak: fc.integer({ min: 0, max: 2 ** 41 }),
    });
    fc.assert(
      fc.property(amounts, ({ factor, had, max, peak }) => {
        const chain = rules({ on_oom: { memory: `x${factor / 10}`, max: `${max}m` } });
        let bytes = had;
        for (let at = 1; at < 2000; at += 1) {
          const need = { memory_bytes: bytes, runtime_seconds: 60 };
          const verdict = verdictByCause(chain, attempt({ attempt: at, need, peakMemoryBytes: peak }));
          if (verdict?.kind !== 'again') return bytes >= max * MEBIBYTE;
          const next = verdict.raise?.memory_bytes as number;
          if (next <= bytes || next > max * MEBIBYTE || !Number.isSafeInteger(next)) return false;
          bytes = next;
        }
        return false;
      }),
    );
  });
});

describe('a job whose time was up', () => {
  const timed = (seconds: number, runtime: number, at = 1) =>
    verdictByCause(
      grow,
      attempt({ cause: 'time', attempt: at, seconds, need: { memory_bytes: 1, runtime_seconds: runtime } }),
    );

  it('it runs again with a longer runtime, and at the maximum it fails', () => {
    expect(timed(3500, 3600)).toMatchObject({ kind: 'again', raise: { runtime_seconds: 5400 }, isRefunded: false });
    expect(timed(7000, 5400)).toMatchObject({ kind: 'again', raise: { runtime_seconds: 7200 } });
    const words = 'it had PT2H, the max of on_timeout';
    expect(timed(7200, 7200)).toEqual({ kind: 'stays', words, limit: 'max' });
  });

  it('a runner that ended long before costs no attempt and raises nothing', () => {
    expect(timed(600, 3600)).toMatchObject({ kind: 'again', raise: undefined, isRefunded: true });
  });
});

it('a job whose node failed runs again as it is, and the attempt does not count', () => {
  const verdict = verdictByCause(rules({ on_node_fail: 'retry' }), attempt({ cause: 'node', attempt: 50 }));
  expect(verdict).toMatchObject({ kind: 'again', raise: undefined, isRefunded: true, maxRetries: undefined });
  expect(verdictByCause(rules({ on_node_fail: 'fail' }), attempt({ cause: 'node' }))).toBeUndefined();
});

test('the pause grows with each attempt up to its maximum', () => {
  const { backoff } = rules({ backoff: { initial: 'PT10S', factor: 3, max: 'PT1M' } });
  expect([1, 2, 3, 400].map((at) => backoffSeconds(backoff, at))).toEqual([10, 30, 60, 60]);
  expect(backoffSeconds(rules({ backoff: { initial: 'PT30S' } }).backoff, 2)).toBe(60);
  expect(backoffSeconds(undefined, 5)).toBe(0);
});

test('requirements that are raised again get a new name, not a longer one', () => {
  const once = raisedName('small', '300m', 'PT1H');
  expect(once).toBe('small_300m_PT1H');
  expect(raisedName(once, '450m', 'PT1H30M')).toBe('small_450m_PT1H30M');
  expect(raisedName('train_8g', '12g', 'PT1H')).toBe('train_8g_12g_PT1H');
});

test.each([
  [2 ** 30, '1g'],
  [1536 * MEBIBYTE, '1536m'],
  [3 * 1024, '3k'],
  [1000, '1000'],
])('%d bytes are written exactly, as %s', (bytes, text) => expect(memoryAmountText(bytes)).toBe(text));
