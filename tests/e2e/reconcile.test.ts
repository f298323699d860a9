import { journalName } from '../../src/core/contract/files/journal.ts';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JobCompletion } from '../../src/core/contract/result.ts';
import { writeJournal } from '../../src/runner/outage/journal/file.ts';
import { registerNode } from '../support/service.ts';
import { type RunningServer, startServer, temporaryFolder } from '../support/programs.ts';
import { wordsTo } from '../support/words.ts';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer(temporaryFolder());
});

const { call, json } = wordsTo(() => server.url);

/** A run with so many jobs, and what its runners left below a folder. */
interface Run {
  readonly folder: string;
  readonly id: number;
  readonly jobIds: readonly number[];
  /** The end of the nth job. */
  end(nth: number, over?: Partial<JobCompletion['result']>): JobCompletion;
  /** Writes a journal as one of our runners does. */
  journal(host: string, ends: readonly JobCompletion[], run?: number): string;
  reconcile(run?: number): ReturnType<typeof call>;
  statuses(): Promise<string[]>;
}

async function runOf(jobs: number): Promise<Run> {
  const folder = temporaryFolder();
  const { client } = server;
  const { id } = (await client.createWorkflow({ body: { name: 'outage', user: 'tester' } })) as { id: number };
  const { jobs: created } = await client.createJobs({
    body: {
      jobs: Array.from({ length: jobs }, (_, index) => ({ workflow_id: id, name: `job_${index}`, command: 'true' })),
    },
  });
  const jobIds = (created ?? []).map((job) => job.id);
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode(server, id);
  return {
    folder,
    id,
    jobIds,
    end(nth, over = {}) {
      const jobId = jobIds[nth] as number;
      const result = {
        job_id: jobId,
        workflow_id: id,
        run_id: 1,
        attempt_id: 1,
        compute_node_id: nodeId,
        return_code: 0,
        exec_time_minutes: 0.5,
        completion_time: '2026-03-01T12:00:00.000Z',
        status: 'completed' as const,
        ...over,
      };
      return { job_id: jobId, status: result.status, run_id: result.run_id, result };
    },
    journal(host, ends, run = 1) {
      const place = join(folder, host, 'offline_journal');
      mkdirSync(place, { recursive: true });
      const path = join(place, journalName(id, run, `wf${id}_h${basename(host)}_r${run}`));
      writeJournal(path, ends, Date.parse('2026-03-01T12:00:00Z'));
      return path;
    },
    reconcile: (run = 1) => call('-f', 'json', 'workflows', 'reconcile', String(id), String(run), '--base-dir', folder),
    async statuses() {
      const { items } = await client.listJobs({ query: { workflow_id: id } });
      return items.map(({ status }) => status as string);
    },
  };
}

let run: Run;
beforeEach(async () => {
  run = await runOf(3);
});

describe('torc workflows reconcile WORKFLOW RUN', () => {
  it('torc workflows reconcile WORKFLOW RUN sends the journals of runners in all folders to the server, and names them', async () => {
    const first = run.journal('a', [run.end(0), run.end(1, { status: 'failed', return_code: 3 })]);
    const second = run.journal('deep/er/b', [run.end(2)]);
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([0, { files: 2, total_completions: 3, accepted: 3, rejected: 0 }]);
    expect(stderr).toContain(`${first}: 2 results, 2 accepted`);
    expect(stderr).toContain(`${second}: 1 result, 1 accepted`);
    expect(await run.statuses()).toEqual(['completed', 'failed', 'completed']);
    const { items } = await server.client.listResults({ query: { workflow_id: run.id } });
    expect(items.map(({ return_code: code_, exec_time_minutes: minutes }) => [code_, minutes])).toEqual([
      [0, 0.5],
      [3, 0.5],
      [0, 0.5],
    ]);
  });

  it('torc workflows reconcile WORKFLOW RUN may be done again: then everything is rejected, and that is no error', async () => {
    run.journal('a', [run.end(0), run.end(1)]);
    await run.reconcile();
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([0, { files: 1, total_completions: 2, accepted: 0, rejected: 2 }]);
    expect(stderr).toContain('is already complete with status=completed');
  });

  it('torc workflows reconcile WORKFLOW RUN rejects what a later run has superseded, and exits with 0', async () => {
    run.journal('a', [run.end(0), run.end(1)]);
    await server.client.resetStatus({ params: { id: run.id }, query: { force: true } });
    await server.client.resetJobStatus({ params: { id: run.id }, query: {} });
    await server.client.initializeJobs({ params: { id: run.id } });
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([0, { files: 1, total_completions: 2, accepted: 0, rejected: 2 }]);
    expect(stderr).toContain('Run ID mismatch');
    expect(await run.statuses()).toEqual(['ready', 'ready', 'ready']);
  });

  it('torc workflows reconcile WORKFLOW RUN rejects an attempt that is over, and a job that another runner has by now', async () => {
    const { client } = server;
    const other = await registerNode(server, run.id);
    const exchange = (body: object) =>
      client.exchange({ params: { id: run.id }, body: { run_id: 1, compute_node_id: other, ...body } });
    const { jobs } = await exchange({ want: { limit: 3, prefetch: 0 } });
    await exchange({ started: jobs.map((job) => ({ job_id: job.id, attempt_id: 1, start_time: 'now' })) });
    await client.retryJob({ params: { id: run.jobIds[1] as number, run_id: 1 }, query: { max_retries: 3 } });
    run.journal('a', [run.end(0), run.end(1), run.end(2, { compute_node_id: other })]);
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([0, { files: 1, total_completions: 3, accepted: 1, rejected: 2 }]);
    expect(stderr).toContain('is no longer held by compute node');
    expect(stderr).toContain('is at attempt 2; attempt 1 is over');
    expect(await run.statuses()).toEqual(['running', 'ready', 'completed']);
  });

  it('torc workflows reconcile WORKFLOW RUN takes the times of outputs from our journals', async () => {
    const file = await server.client.createFile({ body: { workflow_id: run.id, name: 'out', path: 'out.txt' } });
    run.journal('a', [{ ...run.end(0), files: [{ id: file.id, st_mtime: 1_700_000_000.5 }] }]);
    await run.reconcile();
    expect((await server.client.getFile({ params: { id: file.id } })).st_mtime).toBe(1_700_000_000.5);
  });

  it('torc workflows reconcile WORKFLOW RUN passes over journals of other workflows and runs, other files, and links', async () => {
    const path = run.journal('a', [run.end(0)]);
    run.journal('b', [run.end(1)], 2);
    copyFileSync(path, join(run.folder, journalName(run.id * 10, 1, 'x')));
    copyFileSync(path, join(run.folder, 'results.db'));
    symlinkSync(path, join(run.folder, journalName(run.id, 1, 'link')));
    symlinkSync(run.folder, join(run.folder, 'circle'));
    const { stdout } = await run.reconcile();
    expect(JSON.parse(stdout)).toEqual({ files: 1, total_completions: 1, accepted: 1, rejected: 0 });
  });

  it('torc workflows reconcile WORKFLOW RUN says so when there is nothing, and refuses a folder that is not there', async () => {
    const nothing = await run.reconcile();
    expect([nothing.code, JSON.parse(nothing.stdout)]).toEqual([
      0,
      { files: 0, total_completions: 0, accepted: 0, rejected: 0 },
    ]);
    expect(nothing.stderr).toContain(`there is no journal of workflow ${run.id}, run 1 below ${run.folder}`);
    const nowhere = await call('workflows', 'reconcile', String(run.id), '1', '--base-dir', join(run.folder, 'none'));
    expect([nowhere.code, nowhere.stdout]).toEqual([1, '']);
    expect(nowhere.stderr).toContain('Error: cannot read');
  });
});

describe('a journal of Torc 1.0.0', () => {
  /** The same table, but with a write-ahead log, as the original writes it. */
  const original = (ends: readonly JobCompletion[], { closes }: { closes: boolean }): string => {
    const place = join(run.folder, 'theirs', 'offline_journal');
    mkdirSync(place, { recursive: true });
    const path = join(place, journalName(run.id, 1, `wf${run.id}_sl7_n0_p12`));
    const writer = join(place, 'writer.db');
    const db = new DatabaseSync(closes ? path : writer);
    db.exec(`pragma journal_mode = wal; create table journaled_completions (
      job_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, status TEXT NOT NULL, payload TEXT NOT NULL,
      journaled_at TEXT NOT NULL)`);
    const insert = db.prepare('insert into journaled_completions values (?, ?, ?, ?, ?)');
    for (const end of ends)
      insert.run(end.job_id, end.run_id, end.status, JSON.stringify({ ...end, files: null }), '2026-03-01T12:00:00Z');
    if (!closes) {
      // What a killed writer leaves: everything is in the log, and nothing in the database.
      copyFileSync(writer, path);
      copyFileSync(`${writer}-wal`, `${path}-wal`);
    }
    db.close();
    return path;
  };

  it.each([true, false])(
    'a journal of Torc 1.0.0 is read as well, also when its writer was killed (closed: %s)',
    async (closes) => {
      const path = original([run.end(0), run.end(2)], { closes });
      const { code, stdout } = await run.reconcile();
      expect([code, JSON.parse(stdout)]).toEqual([0, { files: 1, total_completions: 2, accepted: 2, rejected: 0 }]);
      expect(await run.statuses()).toEqual(['completed', 'ready', 'completed']);
      expect(existsSync(`${path}-shm`)).toBe(false);
    },
  );
});

describe('a journal that cannot be read', () => {
  const spoilt: Record<string, (path: string) => void> = {
    'is empty': (path) => truncateSync(path, 0),
    'is cut short': (path) => truncateSync(path, 5000),
    'is no database': (path) => writeFileSync(path, 'hello'),
    'is another database': (path) => {
      writeFileSync(path, '');
      const db = new DatabaseSync(path);
      db.exec('create table other (id)');
      db.close();
    },
  };
  it.each(Object.keys(spoilt))('because it %s is named and skipped, and the others are replayed', async (how) => {
    const bad = run.journal('bad', [run.end(0)]);
    spoilt[how]?.(bad);
    run.journal('good', [run.end(1)]);
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([1, { files: 2, total_completions: 1, accepted: 1, rejected: 0 }]);
    expect(stderr).toContain(`Error: ${bad}: `);
    expect(await run.statuses()).toEqual(['ready', 'completed', 'ready']);
  });

  it.runIf(process.getuid?.() !== 0)('that may not be read is named and skipped', async () => {
    const bad = run.journal('bad', [run.end(0)]);
    chmodSync(bad, 0o000);
    const { code, stderr } = await run.reconcile();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`Error: ${bad}: `)]);
  });

  it('a journal that cannot be read in one entry gives the others, and the entry is shown', async () => {
    const path = run.journal('a', [run.end(0), run.end(1), run.end(2)]);
    const db = new DatabaseSync(path);
    const set = db.prepare('update journaled_completions set payload = ? where job_id = ?');
    set.run('{"half', run.jobIds[0] as number);
    set.run('{"job_id": 1}', run.jobIds[1] as number);
    db.close();
    const { code, stdout, stderr } = await run.reconcile();
    expect([code, JSON.parse(stdout)]).toEqual([1, { files: 1, total_completions: 1, accepted: 1, rejected: 0 }]);
    expect(stderr).toContain('an entry is not JSON: {"half');
    expect(stderr).toContain('an entry is not a completion (status: ');
  });
});

it('a thousand journals are one command', async () => {
  const many = await runOf(1000);
  for (let nth = 0; nth < 1000; nth += 1) many.journal(`node${nth}`, [many.end(nth)]);
  expect(readdirSync(many.folder)).toHaveLength(1000);
  const report = await json('workflows', 'reconcile', String(many.id), '1', '--base-dir', many.folder);
  expect(report).toEqual({ files: 1000, total_completions: 1000, accepted: 1000, rejected: 0 });
  expect(new Set(await many.statuses())).toEqual(new Set(['completed']));
});
