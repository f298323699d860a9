import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BASE_PATH } from '../../src/core/contract/base-path.ts';
import { readJournal } from '../../src/runner/outage/journal/file.ts';
import { initialized } from '../support/initialized.ts';
import { type Line, lineTo } from '../support/line.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** A server, a line to it that a test can break, and a workflow whose jobs wait until the test lets them end. */
interface Place {
  readonly folder: string;
  readonly server: RunningServer;
  readonly line: Line;
  readonly url: string;
  /** Starts a runner on the line. */
  run(environment?: Record<string, string>): ReturnType<typeof start>;
  /** The jobs that began so far, by name and attempt. */
  began(): string[];
  /** Lets a job end. */
  release(name: string): void;
  journals(): string[];
  statuses(server?: RunningServer): Promise<Record<string, string>>;
}

interface Sketch {
  readonly name: string;
  readonly after?: string;
  /** It runs also when the job before it fails. */
  readonly inAnyCase?: boolean;
}

const jobLine = ({ name, after, inAnyCase = false }: Sketch) =>
  `  - {name: ${name}, ${after === undefined ? '' : `depends_on: [${after}], `}${inAnyCase ? 'cancel_on_blocking_job_failure: false, ' : ''}command: 'echo "${name} $TORC_ATTEMPT_ID" >> began; until test -e release-${name}; do sleep 0.05; done; test ${name} != bad'}`;

/** Runners look for the server every second, and do not wait at all unless their options say so. */
const impatient = { TORC_CLIENT__OFFLINE__DRAIN_PING_INTERVAL_SECS: '1' };

async function place(jobs: readonly Sketch[], patienceMinutes = 0): Promise<Place> {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const line = await lineTo(server.port);
  onTestFinished(() => line.close());
  const url = `http://127.0.0.1:${line.port}${BASE_PATH}`;
  writeFileSync(
    join(folder, 'flow.yaml'),
    `name: outage
compute_node_wait_for_healthy_database_minutes: ${patienceMinutes}
actions: [{trigger_type: on_worker_complete, action_type: run_commands, commands: [touch worker-is-done]}]
jobs:
${jobs.map(jobLine).join('\n')}
`,
  );
  await initialized(server, folder, 'flow.yaml');
  const lines = (name: string) =>
    existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trimEnd().split('\n') : [];
  return {
    folder,
    server,
    line,
    url,
    run: (environment = {}) =>
      start('torc', ['--url', url, 'run', '1', '--num-cpus', '2'], {
        cwd: folder,
        environment: { ...impatient, ...environment },
      }),
    began: () => lines('began').sort(),
    release: (name) => writeFileSync(join(folder, `release-${name}`), ''),
    journals() {
      const journals = join(folder, 'torc_output/offline_journal');
      // One that is just being written has another ending.
      return existsSync(journals)
        ? readdirSync(journals)
            .filter((name) => name.endsWith('.db'))
            .sort()
        : [];
    },
    async statuses({ client } = server) {
      const { items } = await client.listJobs({ query: { workflow_id: 1 } });
      return Object.fromEntries(items.map(({ name, status }) => [name, status as string]));
    },
  };
}

const beginning = ({ began }: Place, count: number) =>
  until(began, (names) => names.length === count, `${count} jobs to begin`);

const statusesOf = (at: Place, asked: Record<string, string>) =>
  until(
    () => at.statuses(),
    (seen) => Object.entries(asked).every(([name, status]) => seen[name] === status),
    `jobs to be ${JSON.stringify(asked)}`,
  );

const journalName = `offline_results_wf1_r1_wf1_h${hostname()}_r1.db`;

describe.each([
  ['resets connections', 'resets'],
  ['answers 500 to everything', 'answers 500'],
  ['is gone, and a proxy answers in its place', 'answers a page'],
  ['takes connections and never answers', 'silent'],
] as const)('a server that %s', (_, condition) => {
  it('while a server is away jobs go on, what was claimed ahead too until the runner drains, and when it is back the run goes on', async () => {
    const at = await place([
      { name: 'a' },
      { name: 'b' },
      { name: 'c', after: 'a' },
      { name: 'd' },
      { name: 'e', after: 'c' },
    ]);
    const run = at.run();
    await beginning(at, 2);
    await statusesOf(at, { a: 'running', b: 'running' });
    at.line.becomes(condition);
    at.release('a');
    await beginning(at, 3);
    await run.says('Server is away');
    at.release('c');
    const ends = () =>
      at.journals().flatMap((name) => readJournal(join(at.folder, 'torc_output/offline_journal', name)).payloads);
    await until(ends, (payloads) => payloads.length === 2, 'both ends to be in the journal');
    expect(at.journals()).toEqual([journalName]);
    expect(at.began()).toEqual(['a 1', 'b 1', 'c 1']);
    expect(await at.statuses()).toMatchObject({ a: 'running', b: 'running', c: 'blocked', d: 'ready', e: 'blocked' });

    at.line.becomes('open');
    await run.says('Server answers again');
    await statusesOf(at, { a: 'completed', b: 'running', c: 'completed' });
    for (const name of ['b', 'd', 'e']) at.release(name);
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('5 jobs completed')]);
    expect(at.began()).toEqual(['a 1', 'b 1', 'c 1', 'd 1', 'e 1']);
    expect(at.journals()).toEqual([]);
    expect(existsSync(join(at.folder, 'torc_output/worker-is-done'))).toBe(true);
  });
});

it('when a server does not come back the runner ends with its jobs, and leaves a journal, the node as it is, and the action of its end', async () => {
  const at = await place([{ name: 'good' }, { name: 'bad' }, { name: 'after', after: 'bad' }]);
  const run = at.run();
  await beginning(at, 2);
  await statusesOf(at, { good: 'running', bad: 'running' });
  // The hardest of the four: its last requests are open.
  at.line.becomes('silent');
  at.release('good');
  at.release('bad');
  const { code, stderr } = await run.ended;
  expect(code).toBe(1);
  expect(stderr).toContain(`torc --url ${at.url} workflows reconcile 1 1 --base-dir ${join(at.folder, 'torc_output')}`);
  expect(at.began()).toEqual(['bad 1', 'good 1']);
  expect(at.journals()).toEqual([journalName]);
  const { payloads, fault } = readJournal(join(at.folder, 'torc_output/offline_journal', journalName));
  const entries = payloads.map((text) => JSON.parse(text) as Record<string, unknown>);
  expect([fault, entries]).toEqual([
    undefined,
    [
      expect.objectContaining({ job_id: 1, run_id: 1, status: 'completed' }),
      expect.objectContaining({ job_id: 2, run_id: 1, status: 'failed' }),
    ],
  ]);
  const { items } = await at.server.client.listComputeNodes({ query: { workflow_id: 1 } });
  expect(items.map(({ is_active: isActive }) => isActive)).toEqual([true]);
  expect(existsSync(join(at.folder, 'torc_output/worker-is-done'))).toBe(false);
  expect(await at.statuses()).toEqual({ good: 'running', bad: 'running', after: 'blocked' });
});

describe('after an outage that outlived the runner', () => {
  const outage = async (): Promise<Place> => {
    const at = await place([{ name: 'good' }, { name: 'bad' }, { name: 'after', after: 'bad', inAnyCase: true }]);
    const run = at.run();
    await beginning(at, 2);
    await statusesOf(at, { good: 'running', bad: 'running' });
    at.line.becomes('resets');
    for (const name of ['good', 'bad', 'after']) at.release(name);
    await run.ended;
    at.line.becomes('open');
    return at;
  };
  const reconcile = async (at: Place) => {
    const { code, stdout } = await torc(
      ['--url', at.url, '-f', 'json', 'workflows', 'reconcile', '1', '1', '--base-dir', 'torc_output'],
      { cwd: at.folder },
    );
    return [code, JSON.parse(stdout) as unknown];
  };

  it('reconcile reports its results, the next runner goes on from there, and nothing runs twice', async () => {
    const at = await outage();
    expect(await reconcile(at)).toEqual([0, { files: 1, total_completions: 2, accepted: 2, rejected: 0 }]);
    expect(await at.statuses()).toEqual({ good: 'completed', bad: 'failed', after: 'pending' });
    const { code, stderr } = await at.run().ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed, 1 failed')]);
    expect(at.began()).toEqual(['after 1', 'bad 1', 'good 1']);
  });

  it('the next runner of the host reports them as well; to reconcile then does nothing, and is no error', async () => {
    const at = await outage();
    const { code, stderr } = await at.run().ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed, 1 failed')]);
    expect(await reconcile(at)).toEqual([0, { files: 1, total_completions: 2, accepted: 0, rejected: 2 }]);
    expect(at.began()).toEqual(['after 1', 'bad 1', 'good 1']);
    const { items } = await at.server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
    expect(items).toHaveLength(3);
    expect(Object.fromEntries(items.map(({ job_name: name, return_code: returned }) => [name, returned]))).toEqual({
      after: 0,
      bad: 1,
      good: 0,
    });
  });
});

it('a short absence within the patience of the workflow is no outage', async () => {
  const at = await place([{ name: 'a' }, { name: 'b', after: 'a' }], 5);
  const run = at.run();
  await beginning(at, 1);
  at.line.becomes('resets');
  at.release('a');
  at.release('b');
  await run.says('Server does not answer; jobs continue');
  at.line.becomes('open');
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
  expect(stderr).not.toContain('Server is away');
  expect(at.journals()).toEqual([]);
});

it('a runner that is stopped in an outage ends its jobs and writes down how they ended', async () => {
  const at = await place([{ name: 'a' }]);
  const run = at.run();
  await beginning(at, 1);
  await statusesOf(at, { a: 'running' });
  at.line.becomes('resets');
  await run.says('Server is away');
  run.child.kill('SIGTERM');
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([143, expect.stringContaining(`torc --url ${at.url} workflows reconcile 1 1`)]);
  const [payload] = readJournal(join(at.folder, 'torc_output/offline_journal', journalName)).payloads;
  expect(JSON.parse(payload as string)).toMatchObject({
    job_id: 1,
    status: 'terminated',
    result: { return_code: 143 },
  });
});

it('a journal that cannot be written ends nothing: the results are reported when the server is back', async () => {
  const at = await place([{ name: 'a' }, { name: 'b' }]);
  mkdirSync(join(at.folder, 'torc_output'), { recursive: true });
  writeFileSync(join(at.folder, 'torc_output/offline_journal'), 'in the way');
  const run = at.run();
  await beginning(at, 2);
  await statusesOf(at, { a: 'running', b: 'running' });
  at.line.becomes('resets');
  at.release('a');
  await run.says('Results cannot be written into the offline journal');
  at.line.becomes('open');
  await statusesOf(at, { a: 'completed', b: 'running' });
  at.release('b');
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
});

it('with client.offline.enabled = false the jobs are killed and the runner fails', async () => {
  const at = await place([{ name: 'a' }]);
  const run = at.run({ TORC_CLIENT__OFFLINE__ENABLED: 'false' });
  await beginning(at, 1);
  await statusesOf(at, { a: 'running' });
  at.line.becomes('resets');
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([1, expect.stringContaining('the server could not be reached')]);
  expect(stderr).not.toContain('running jobs finish');
});

it('two runners of one host and run leave two journals, and none takes the place of the other', async () => {
  const at = await place([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]);
  const runs = [at.run(), at.run()];
  await beginning(at, 4);
  await statusesOf(at, { a: 'running', b: 'running', c: 'running', d: 'running' });
  at.line.becomes('resets');
  for (const name of ['a', 'b', 'c', 'd']) at.release(name);
  await Promise.all(runs.map(({ ended }) => ended));
  expect(at.journals()).toHaveLength(2);
  const folder = join(at.folder, 'torc_output/offline_journal');
  const jobs = at.journals().flatMap((name) => readJournal(join(folder, name)).payloads);
  expect(new Set(jobs.map((text) => (JSON.parse(text) as { job_id: number }).job_id))).toEqual(new Set([1, 2, 3, 4]));
});

describe('a server that comes back with an older database', () => {
  /** Takes the server away, and puts one in its place whose database is a copy of an earlier moment. */
  const goBack = async (at: Place, copy: string): Promise<RunningServer> => {
    const older = await startServer(at.folder, { database: copy });
    at.line.leadsTo(older.port);
    return older;
  };

  /** A copy of the database as it is now: the server is stopped for it, so that the file is whole. */
  const copyNow = async (at: Place, name: string): Promise<void> => {
    await at.server.client.runSql({ body: { sql: 'select 1' } }).catch(() => {});
    copyFileSync(join(at.folder, 'server.db'), join(at.folder, name));
    if (existsSync(join(at.folder, 'server.db-wal')))
      copyFileSync(join(at.folder, 'server.db-wal'), join(at.folder, `${name}-wal`));
  };

  it('a server that comes back with an older database gets no report and no request for jobs: the runner says so, ends with its jobs, and keeps every result', async () => {
    const at = await place([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    await copyNow(at, 'older.db');
    const run = at.run();
    await beginning(at, 2);
    at.release('a');
    await beginning(at, 3);
    await statusesOf(at, { a: 'completed', b: 'running', c: 'running' });
    const older = await goBack(at, 'older.db');
    await run.says("The server's database is older than what it reported before, or a different one");
    at.release('b');
    at.release('c');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('the server came back with an older database')]);
    expect(at.began()).toEqual(['a 1', 'b 1', 'c 1']);
    expect(await at.statuses(older)).toEqual({ a: 'ready', b: 'ready', c: 'ready' });
    // What had been reported to the server that is gone stands in a journal of its own.
    const folder = join(at.folder, 'torc_output/offline_journal');
    expect(at.journals()).toHaveLength(2);
    const jobs = at.journals().flatMap((name) => readJournal(join(folder, name)).payloads);
    expect(new Set(jobs.map((text) => (JSON.parse(text) as { job_id: number }).job_id))).toEqual(new Set([1, 2, 3]));
  });

  it('a server that comes back with an older database and is put right again: the run goes on as if nothing had been', async () => {
    const at = await place([{ name: 'a' }, { name: 'b' }, { name: 'c', after: 'b' }]);
    await copyNow(at, 'older.db');
    const run = at.run();
    await beginning(at, 2);
    at.release('a');
    await statusesOf(at, { a: 'completed', b: 'running' });
    await goBack(at, 'older.db');
    await run.says("The server's database is older");
    at.line.leadsTo(at.server.port);
    await run.says('Server answers again');
    at.release('b');
    at.release('c');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 jobs completed')]);
    expect(at.journals()).toEqual([]);
  });

  it('a server that comes back with an older database or with an empty one: no job is ended for it', async () => {
    const at = await place([{ name: 'a' }]);
    const run = at.run();
    await beginning(at, 1);
    await statusesOf(at, { a: 'running' });
    await goBack(at, 'empty.db');
    await run.says("The server's database is older than what it reported before, or a different one");
    at.line.leadsTo(at.server.port);
    await run.says('Server answers again');
    at.release('a');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
  });
});
