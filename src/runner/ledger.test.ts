import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../../tests/support/small-disk.ts';
import type { Completion, Retried } from '../core/contract/exchange.ts';
import { endsIn, openLedger, readLedger } from './ledger.ts';

const head = { workflow_id: 7, run_id: 1, compute_node_id: 3, process: undefined };
const completion: Completion = {
  job_id: 42,
  attempt_id: 1,
  status: 'completed',
  return_code: 0,
  exec_time_minutes: 0.5,
  completion_time: '2026-03-01T12:00:00.000Z',
};
const retried: Retried = { ...completion, status: 'failed', return_code: 7, max_retries: 3 };
const fresh = () => {
  const path = join(temporaryFolder(), 'deep', 'runner.ledger');
  return { path, ledger: openLedger(path, head) };
};

describe('what a runner did', () => {
  it('is read back after it is gone, without a word of farewell', () => {
    const { path, ledger } = fresh();
    ledger.start(42, 1);
    ledger.start(43, 2);
    ledger.end(completion);
    ledger.retry(retried);
    ledger.flush();
    expect(readLedger(path)).toEqual({
      started: [
        { job_id: 42, attempt_id: 1 },
        { job_id: 43, attempt_id: 2 },
      ],
      completed: [completion],
      retried: [retried],
    });
    ledger.close({ remove: true });
  });

  it('stands there at once for a start, and with the next flush or start for an end', () => {
    const { path, ledger } = fresh();
    const completed = () => readLedger(path)?.completed.length;
    ledger.start(42, 1);
    expect(readLedger(path)?.started).toHaveLength(1);
    ledger.end(completion);
    expect(completed()).toBe(0);
    ledger.flush();
    expect(completed()).toBe(1);
    ledger.end({ ...completion, job_id: 43 });
    ledger.start(44, 1);
    expect(completed()).toBe(2);
    ledger.close({ remove: true });
  });

  it('is read whole however long it is, also end by end', () => {
    const { path, ledger } = fresh();
    const ends = Array.from({ length: 3000 }, (_, index) => ({
      ...completion,
      job_id: index,
      completion_time: 'später',
    }));
    for (const end of ends) {
      ledger.start(end.job_id, 1);
      ledger.end(end);
    }
    ledger.flush();
    expect(readLedger(path)?.completed).toEqual(ends);
    expect([...endsIn(path)]).toEqual(ends);
    ledger.close({ remove: true });
  });

  it('counts a start once, however often it was written', () => {
    const { path, ledger } = fresh();
    for (const attempt of [1, 1, 2]) ledger.start(42, attempt);
    expect(readLedger(path)?.started?.map(({ attempt_id: attempt }) => attempt)).toEqual([1, 2]);
    ledger.close({ remove: true });
  });
});

describe('the file', () => {
  it('is removed when everything is acknowledged', () => {
    const { path, ledger } = fresh();
    ledger.close({ remove: true });
    expect(existsSync(path)).toBe(false);
  });

  it('stays, with what was gathered, when something is not', () => {
    const { path, ledger } = fresh();
    ledger.end(completion);
    ledger.close({ remove: false });
    expect(readLedger(path)).toEqual({ started: [], completed: [completion], retried: [] });
  });

  it('says in its first line whose it is', () => {
    const { path, ledger } = fresh();
    ledger.close({ remove: false });
    expect(readFileSync(path, 'utf8')).toBe('torc-ledger-1 {"workflow_id":7,"run_id":1,"compute_node_id":3}\n');
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is something else', 'S 1 1\n'],
    ['is of another version', 'torc-ledger-10 {}\nS 1 1\n'],
  ])('says nothing when it %s', (_, text) => {
    const path = join(temporaryFolder(), 'runner.ledger');
    if (text !== undefined) writeFileSync(path, text);
    expect(readLedger(path)).toBeUndefined();
  });
});

it('wherever a crash cuts the file, the whole lines before the cut count, and the last, cut one does not', () => {
  const folder = temporaryFolder();
  const anyFact = fc.oneof(
    fc.record({ job: fc.nat(1e6), attempt: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      ...Object.fromEntries(Object.entries(completion).map(([name, value]) => [name, fc.constant(value)])),
      job_id: fc.nat(1e6),
      return_code: fc.nat(255),
      files: fc.array(fc.record({ id: fc.nat(), st_mtime: fc.double({ min: 0.5, max: 2e9, noNaN: true }) })),
    }) as fc.Arbitrary<Completion>,
  );
  let files = 0;
  fc.assert(
    fc.property(fc.uniqueArray(anyFact, { selector: (fact) => JSON.stringify(fact) }), fc.nat(), (facts, at) => {
      const path = join(folder, `${(files += 1)}.ledger`);
      const ledger = openLedger(path, head);
      for (const fact of facts) {
        if ('job' in fact) ledger.start(fact.job, fact.attempt);
        else ledger.end(fact);
      }
      ledger.close({ remove: false });

      const text = readFileSync(path, 'utf8');
      const cut = at % (text.length + 1);
      truncateSync(path, cut);
      const whole = text.slice(0, cut).split('\n').length - 1;
      const kept = facts.slice(0, Math.max(0, whole - 1));
      expect(readLedger(path)).toEqual(
        whole === 0
          ? undefined
          : {
              started: kept.flatMap((fact) => ('job' in fact ? [{ job_id: fact.job, attempt_id: fact.attempt }] : [])),
              completed: kept.flatMap((fact) => ('job' in fact ? [] : [fact])),
              retried: [],
            },
      );
    }),
  );
});

describe.skipIf(noSmallDisk)('on a disk that is full', () => {
  const onFullDisk = () => {
    const disk = smallDisk();
    const path = join(disk, 'runner.ledger');
    const said: string[] = [];
    const ledger = openLedger(path, head, (words) => said.push(words));
    ledger.start(42, 1);
    const empty = fill(disk);
    // Pages that are there take a few facts more.
    for (let job = 100; said.length === 0; job += 1) ledger.start(job, 1);
    return { path, ledger, said, empty };
  };

  it('a ledger goes on, says so once, and is no proof any more that a job never started', () => {
    const { path, ledger, said } = onFullDisk();
    ledger.start(43, 1);
    ledger.end(completion);
    ledger.flush();
    expect(said).toEqual([expect.stringMatching(/ledger .*runner\.ledger cannot be written \(ENOSPC.*jobs go on/)]);
    expect(existsSync(path)).toBe(false);
    expect(readLedger(path)).toEqual({ completed: [], retried: [] });
    ledger.close({ remove: true });
    expect(readLedger(path)).toBeUndefined();
  });

  it('and has everything, in order and once, when there is room again', () => {
    const { path, ledger, said, empty } = onFullDisk();
    ledger.end(completion);
    ledger.flush();
    empty();
    ledger.start(43, 1);
    expect(said.slice(1)).toEqual([expect.stringMatching(/runner\.ledger is written again$/)]);
    const { started = [], completed = [] } = readLedger(path) ?? {};
    const ids = started.map(({ job_id: id }) => id);
    expect([ids[0], ids[1], ids.at(-1)]).toEqual([42, 100, 43]);
    expect(ids.slice(1, -1)).toEqual(ids.slice(1, -1).map((_, index) => 100 + index));
    expect(completed).toEqual([completion]);
    ledger.close({ remove: true });
    expect(existsSync(path)).toBe(false);
  });
});
