import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AccountedStep } from '../../../cluster/slurm/sacct.ts';
import { createAccounting } from './accounting.ts';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

const row = (state = 'COMPLETED'): AccountedStep => ({
  state,
  maxRssBytes: 1,
  maxVmSizeBytes: undefined,
  maxDiskReadBytes: undefined,
  maxDiskWriteBytes: undefined,
  aveCpuSeconds: undefined,
  nodeList: 'n1',
});

/** An accounting of which the test says what it has, and what was logged. */
function accountingOf(
  answer?: () => Promise<ReadonlyMap<string, AccountedStep>>,
  areMoreRunning: () => boolean = () => false,
) {
  const rows = new Map<string, AccountedStep>();
  const accounted = vi.fn(answer ?? (async () => new Map(rows)));
  const write = vi.fn();
  const accounting = createAccounting({ steps: { accounted }, areMoreRunning, log: { write, close() {} } });
  onTestFinished(() => accounting.close());
  const warnings = () => write.mock.calls.filter(([level]) => level === 'warn').length;
  return { accounting, rows, accounted, warnings };
}
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('the row of a step that has ended', () => {
  it('a completion has the row as soon as its State is final, and not before', async () => {
    const { accounting, rows } = accountingOf();
    const found = vi.fn();
    void accounting.rowOf('a').then(found);
    rows.set('a', row('RUNNING'));
    await wait(1_000);
    expect(found).not.toHaveBeenCalled();
    rows.set('a', row());
    await wait(500);
    expect(found).toHaveBeenCalledWith(row());
    expect(await accounting.later('a')).toEqual({ row: row(), wasMissing: false });
  });

  it('one call asks for all steps that have ended', async () => {
    const { accounting, rows, accounted } = accountingOf();
    const asked = ['a', 'b', 'c'].map((id) => accounting.rowOf(id));
    for (const id of ['a', 'b', 'c']) rows.set(id, row());
    await wait(300);
    await Promise.all(asked);
    expect(accounted).toHaveBeenCalledOnce();
  });

  describe('of steps that end one soon after another', () => {
    const endMany = async (areMoreRunning: boolean) => {
      const { accounting, rows, accounted } = accountingOf(undefined, () => areMoreRunning);
      const found = vi.fn();
      for (let id = 0; id < 100; id += 1) {
        rows.set(`step ${id}`, row());
        void accounting.rowOf(`step ${id}`).then(found);
        await wait(50);
      }
      return { found: found.mock.calls.length, asked: accounted.mock.calls.length, accounting, rows };
    };

    it('comes while others go on to end', async () => {
      const { found } = await endMany(false);
      expect(found).toBeGreaterThanOrEqual(95);
    });

    it('comes within a second, with those of others, while more steps run', async () => {
      const { found, asked } = await endMany(true);
      expect(found).toBeGreaterThanOrEqual(75);
      expect(asked).toBeLessThanOrEqual(8);
    });

    it('comes soon for the last one, for which no other has to end', async () => {
      let areMoreRunning = true;
      const { accounting, rows } = accountingOf(undefined, () => areMoreRunning);
      for (let id = 0; id < 10; id += 1) {
        rows.set(`step ${id}`, row());
        void accounting.rowOf(`step ${id}`);
      }
      await wait(250);
      void accounting.rowOf('before');
      areMoreRunning = false;
      rows.set('last', row());
      const found = vi.fn();
      void accounting.rowOf('last').then(found);
      await wait(250);
      expect(found).toHaveBeenCalledWith(row());
    });
  });

  it('a completion does not wait longer than 2 s, and the row is delivered when it comes', async () => {
    const { accounting, rows } = accountingOf();
    const found = vi.fn();
    void accounting.rowOf('a').then(found);
    await wait(2_500);
    expect(found).toHaveBeenCalledWith(undefined);
    rows.set('a', row());
    await wait(6_000);
    expect(await accounting.later('a')).toEqual({ row: row(), wasMissing: true });
  });

  it('a call that hangs keeps no completion waiting', async () => {
    const { accounting } = accountingOf(() => new Promise(() => {}));
    const found = vi.fn();
    void accounting.rowOf('a').then(found);
    await wait(2_500);
    expect(found).toHaveBeenCalledWith(undefined);
  });

  it('a row that never comes is given up after the last try', async () => {
    const { accounting, accounted } = accountingOf();
    void accounting.rowOf('a');
    await wait(120_000);
    expect(await accounting.later('a')).toEqual({ row: undefined, wasMissing: true });
    const calls = accounted.mock.calls.length;
    await wait(120_000);
    expect(accounted.mock.calls.length).toBe(calls);
  });
});

it('a row that is late is asked for six times, 5 s apart', async () => {
  const { accounting, accounted } = accountingOf();
  void accounting.rowOf('a');
  // The completion waits for two seconds; the first of the six follows at once.
  await wait(1_900);
  const before = accounted.mock.calls.length;
  for (const [ms, expected] of [
    [200, 1],
    [5_000, 2],
    [5_000, 3],
    [5_000, 4],
    [5_000, 5],
    [5_000, 6],
    [60_000, 6],
  ] as const) {
    await wait(ms);
    expect(accounted.mock.calls.length - before).toBe(expected);
  }
});

it('a row with its last State is the row also without figures, because Slurm writes both at once', async () => {
  const { accounting, rows, accounted } = accountingOf();
  const empty = { ...row(), maxRssBytes: undefined };
  rows.set('a', empty);
  const found = accounting.rowOf('a');
  await wait(300);
  expect(await found).toEqual(empty);
  const asked = accounted.mock.calls.length;
  await wait(60_000);
  expect(accounted.mock.calls.length).toBe(asked);
});

describe('an accounting that has nothing', () => {
  it('after three steps without a row completions do not wait any more, with one warning', async () => {
    const { accounting, warnings } = accountingOf(() => Promise.reject(new Error('Connection refused')));
    for (const id of ['a', 'b', 'c']) {
      void accounting.rowOf(id);
      await wait(2_500);
    }
    expect(warnings()).toBe(1);
    const found = vi.fn();
    void accounting.rowOf('d').then(found);
    await wait(0);
    expect(found).toHaveBeenCalledWith(undefined);
    expect(warnings()).toBe(1);
  });

  it('steps whose rows came in time are not counted as missing later', async () => {
    const { accounting, rows, warnings } = accountingOf();
    for (const id of ['a', 'b', 'c', 'd']) {
      rows.set(id, row());
      void accounting.rowOf(id);
      await wait(300);
    }
    await wait(10_000);
    expect(warnings()).toBe(0);
    const found = vi.fn();
    void accounting.rowOf('e').then(found);
    await wait(0);
    expect(found).not.toHaveBeenCalled();
  });

  it('completions wait again when rows come again', async () => {
    const { accounting, rows } = accountingOf();
    for (const id of ['a', 'b', 'c']) {
      void accounting.rowOf(id);
      await wait(2_500);
    }
    for (const id of ['a', 'b', 'c']) rows.set(id, row());
    await wait(6_000);
    const found = vi.fn();
    void accounting.rowOf('d').then(found);
    await wait(500);
    expect(found).not.toHaveBeenCalled();
    rows.set('d', row());
    await wait(500);
    expect(found).toHaveBeenCalledWith(row());
  });
});

it('at the end of the runner the accounting is asked a last time, and what is missing stays missing', async () => {
  const { accounting, rows } = accountingOf();
  for (const id of ['a', 'b']) void accounting.rowOf(id);
  await wait(2_500);
  rows.set('a', row());
  await accounting.finish();
  expect([await accounting.later('a'), await accounting.later('b')]).toEqual([
    { row: row(), wasMissing: true },
    { row: undefined, wasMissing: true },
  ]);
});

it('at the end of the runner an accounting that does not answer is not asked again', async () => {
  const { accounting, accounted } = accountingOf(() => Promise.reject(new Error('slurmdbd is away')));
  void accounting.rowOf('a');
  await wait(2_500);
  const asked = accounted.mock.calls.length;
  await accounting.finish();
  expect(accounted.mock.calls.length).toBe(asked);
  expect(await accounting.later('a')).toEqual({ row: undefined, wasMissing: true });
});
