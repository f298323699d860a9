import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { fill, noSmallDisk, smallDisk } from '../../../tests/support/small-disk.ts';
import type { Completion, Retried } from '../../core/contract/exchange.ts';
import { openLedger } from './ledger.ts';
import { endsIn, readLedger } from './read-ledger.ts';

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

describe('the ledger of a runner', () => {
  it('a ledger is readable after its runner died', () => {
    const { path, ledger } = fresh();
    ledger.start(42, 1);
    ledger.start(43, 2);
    ledger.end(completion);
    ledger.retry(retried);
    ledger.flush();
    expect(readLedger(path)).toEqual({
      ...nothing,
      started: [
        { job_id: 42, attempt_id: 1 },
        { job_id: 43, attempt_id: 2 },
      ],
      completed: [completion],
      retried: [retried],
    });
    ledger.close({ remove: true });
  });

  it('a start is in the ledger at once, an end with the next flush or start', () => {
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

  it('a ledger of any length is read completely, also end by end', () => {
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

  it('a start is counted once, however often it was written', () => {
    const { path, ledger } = fresh();
    for (const attempt of [1, 1, 2]) ledger.start(42, attempt);
    expect(readLedger(path)?.started?.map(({ attempt_id: attempt }) => attempt)).toEqual([1, 2]);
    ledger.close({ remove: true });
  });
});

describe('the file of a ledger', () => {
  it('the ledger is removed when everything is acknowledged', () => {
    const { path, ledger } = fresh();
    ledger.close({ remove: true });
    expect(existsSync(path)).toBe(false);
  });

  it('the ledger stays, with its buffered entries, if something is not acknowledged', () => {
    const { path, ledger } = fresh();
    ledger.end(completion);
    ledger.close({ remove: false });
    expect(readLedger(path)).toEqual({ ...nothing, started: [], completed: [completion] });
  });

  it('the first line of a ledger identifies its runner', () => {
    const { path, ledger } = fresh();
    ledger.close({ remove: false });
    expect(readFileSync(path, 'utf8')).toBe('torc-ledger-1 {"workflow_id":7,"run_id":1,"compute_node_id":3}\n');
  });

  it.each([
    ['is missing', undefined],
    ['is empty', ''],
    ['is another kind of file', 'S 1 1\n'],
    ['has another version', 'torc-ledger-10 {}\nS 1 1\n'],
  ])('a ledger gives no facts if it %s', (_, text) => {
    const path = join(temporaryFolder(), 'runner.ledger');
    if (text !== undefined) writeFileSync(path, text);
    expect(readLedger(path)).toBeUndefined();
  });
});

type AnyFact = Completion | { readonly job: number; readonly attempt: number };

const startsOf = (facts: readonly AnyFact[]) =>
  facts.flatMap((fact) => ('job' in fact ? [{ job_id: fact.job, attempt_id: fact.attempt }] : []));

/** The facts of an incomplete ledger without entries. */
const nothing = {
  run_id: 1,
  compute_node_id: 3,
  completed: [],
  retried: [],
  actionsBegun: [],
  actionsEnded: [],
  damagedLines: 0,
};

it('an action with a beginning and no end in the ledger is known to have begun', () => {
  const { path, ledger } = fresh();
  ledger.action(5, 'begin');
  ledger.action(6, 'begin');
  ledger.action(6, 'end');
  expect(readLedger(path)).toEqual({ ...nothing, started: [], actionsBegun: [5], actionsEnded: [6] });
  ledger.close({ remove: true });
});

describe('a damaged line', () => {
  const ledgerOf = (...lines: string[]) => {
    const path = join(temporaryFolder(), 'runner.ledger');
    const first = `torc-ledger-1 ${JSON.stringify(head)}`;
    writeFileSync(path, [first, 'S 1 1', ...lines, 'S 2 1', `E ${JSON.stringify(completion)}`, ''].join('\n'));
    return path;
  };
  const damaged: Record<string, string> = {
    'is not JSON': 'E {"job_id":',
    'is JSON of another kind': 'E 7',
    'lacks a field': `E ${JSON.stringify({ ...completion, job_id: undefined })}`,
    'has a field of another kind': `E ${JSON.stringify({ ...completion, return_code: '0' })}`,
    'has a status that is no end': `E ${JSON.stringify({ ...completion, status: 'running' })}`,
    'has files that are none': `E ${JSON.stringify({ ...completion, files: [{ id: 'x' }] })}`,
    'is a retry without its limit': `R ${JSON.stringify(completion)}`,
    'is zeros, where the disk lost a page': '\0'.repeat(5000),
    'is longer than any of ours': 'E'.repeat(5 * 2 ** 20),
    'is a start without an attempt': 'S 3',
    'is a start that runs into the next line': 'S 3 S 4 1',
    'is of no kind that is known': 'X 1 2',
    'is empty': '',
  };

  it.each(Object.entries(damaged))(
    'a damaged line in a ledger %s is skipped, and then it does not prove that a job never started',
    (_, line) => {
      expect(readLedger(ledgerOf(line))).toEqual({ ...nothing, completed: [completion], damagedLines: 1 });
      expect([...endsIn(ledgerOf(line))]).toEqual([completion]);
    },
  );

  it('a complete ledger has no damaged line', () => {
    const started = [1, 2].map((job) => ({ job_id: job, attempt_id: 1 }));
    expect(readLedger(ledgerOf())).toEqual({ ...nothing, started, completed: [completion] });
  });

  it('a ledger with a damaged first line has no known owner', () => {
    const path = join(temporaryFolder(), 'runner.ledger');
    for (const first of ['torc-ledger-1 {"run_id":1', 'torc-ledger-1 {}', 'torc-ledger-1 null', '\0\0']) {
      writeFileSync(path, `${first}\nS 1 1\n`);
      expect(readLedger(path)).toBeUndefined();
    }
  });
});

it('an unreadable file is not treated as a missing one', () => {
  const folder = temporaryFolder();
  expect(() => readLedger(folder)).toThrow('is no regular file');
  expect(readLedger(join(folder, 'none'))).toBeUndefined();
});

it('wherever a crash cuts the file, the complete lines before the cut count, and the ledger is incomplete', () => {
  const folder = temporaryFolder();
  const anyFact = fc.oneof(
    fc.record({ job: fc.nat(1e6), attempt: fc.integer({ min: 1, max: 9 }) }),
    fc.record({
      ...Object.fromEntries(Object.entries(completion).map(([name, value]) => [name, fc.constant(value)])),
      job_id: fc.nat(1e6),
      return_code: fc.nat(255),
      files: fc.array(fc.record({ id: fc.nat(), st_mtime: fc.double({ min: 0.5, max: 2e9, noNaN: true }) })),
      inputs: fc.array(
        fc.record({ id: fc.nat(), st_mtime: fc.double({ min: 0.5, max: 2e9, noNaN: true }), st_size: fc.nat() }),
      ),
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
              ...nothing,
              completed: kept.flatMap((fact) => ('job' in fact ? [] : [fact])),
              ...(text[cut - 1] === '\n' ? { started: startsOf(kept) } : { damagedLines: 1 }),
            },
      );
    }),
  );
});

describe.skipIf(noSmallDisk)('a ledger on a full disk', () => {
  const onFullDisk = () => {
    const disk = smallDisk();
    const path = join(disk, 'runner.ledger');
    const said: string[] = [];
    const ledger = openLedger(path, head, (words) => said.push(words));
    ledger.start(42, 1);
    const empty = fill(disk);
    // Allocated pages still accept a few entries.
    for (let job = 100; said.length === 0; job += 1) ledger.start(job, 1);
    return { path, ledger, said, empty };
  };

  it('on a full disk the ledger continues, reports it once, and no longer proves that a job never started', () => {
    const { path, ledger, said } = onFullDisk();
    ledger.start(43, 1);
    ledger.end(completion);
    ledger.flush();
    expect(said).toEqual([expect.stringMatching(/ledger .*runner\.ledger cannot be written \(ENOSPC.*jobs continue/)]);
    expect(existsSync(path)).toBe(false);
    expect(readLedger(path)).toMatchObject({ completed: [], retried: [] });
    expect(readLedger(path)).not.toHaveProperty('started');
    ledger.close({ remove: true });
    expect(readLedger(path)).toBeUndefined();
  });

  it('the ledger contains everything, in order and once, when there is space again', () => {
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
