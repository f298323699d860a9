import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { initialized } from '../support/initialized.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { random } from '../support/random.ts';
import { processesWith } from '../support/processes.ts';

interface Bench {
  readonly folder: string;
  readonly server: RunningServer;
  /** Runs workflow 1 to its end. */
  run(): ReturnType<typeof torc>;
}

/** A server with the workflow initialized. */
async function benchOf(spec: object): Promise<Bench> {
  const folder = temporaryFolder();
  const path = join(folder, 'flow.json');
  writeFileSync(path, JSON.stringify({ name: 'retry', ...spec }));
  const server = await startServer(folder);
  await initialized(server, path);
  return { folder, server, run: () => torc(['--url', server.url, 'run', '1'], { cwd: folder }) };
}

const handler = (...rules: object[]) => ({ failure_handlers: [{ name: 'rules', rules }] });

/** Notes its attempt and fails with 7 before the one with this number. */
const succeedsAt = (attempt: number) =>
  `echo "$TORC_JOB_ID $TORC_ATTEMPT_ID" >> ran; test "$TORC_ATTEMPT_ID" -ge ${attempt} || exit 7`;

const job = (command: string, over: object = {}) => ({ name: 'flaky', command, failure_handler: 'rules', ...over });

const lines = (folder: string, name = 'ran'): string[] =>
  existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8').trimEnd().split('\n') : [];

const history = async ({ client }: RunningServer) => {
  const { items } = await client.listResults({ query: { workflow_id: 1, all_runs: true } });
  return items.map(({ attempt_id: attempt, return_code: code, status }) => [attempt, code, status]);
};

const logOf = async ({ folder, server }: Bench) => {
  const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
  return readFileSync(join(folder, `torc_output/job_runner_${items[0]?.hostname}_wf1_r1.log`), 'utf8');
};

describe('a failure handler', () => {
  it('a failure handler has a job that fails twice and then succeeds run three times, and each attempt is remembered', async () => {
    const bench = await benchOf({ ...handler({ exit_codes: [7] }), jobs: [job(succeedsAt(3))] });
    const { code, stderr } = await bench.run();
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed in')]);
    expect(lines(bench.folder)).toEqual(['1 1', '1 2', '1 3']);
    expect(await history(bench.server)).toEqual([
      [1, 7, 'failed'],
      [2, 7, 'failed'],
      [3, 0, 'completed'],
    ]);
    const { items } = await bench.server.client.listJobs({ query: { workflow_id: 1 } });
    expect(items).toMatchObject([{ status: 'completed', attempt_id: 3, origin: 'retry' }]);
    expect(await logOf(bench)).toMatch(
      /Job retry scheduled .*workflow_id=1 job_id=1 .*attempt_id=1 return_code=7 max_retries=3/,
    );
  });

  it('a failure handler lets a job run as often as max_retries says and no more; then its dependents hear of it', async () => {
    const after = { name: 'after', command: 'true', depends_on: ['flaky'] };
    const bench = await benchOf({
      ...handler({ exit_codes: [7], max_retries: 2 }),
      jobs: [job(succeedsAt(3)), after],
    });
    const { stderr } = await bench.run();
    expect(stderr).toContain('1 failed, 1 stopped (canceled)');
    expect(lines(bench.folder)).toEqual(['1 1', '1 2']);
    expect(await history(bench.server)).toEqual([
      [1, 7, 'failed'],
      [2, 7, 'failed'],
    ]);
  });

  it('a failure handler leaves alone what none of its rules names, and jobs that have no handler', async () => {
    const bench = await benchOf({
      ...handler({ exit_codes: [8] }),
      jobs: [job(succeedsAt(2)), { name: 'plain', command: 'exit 8' }],
    });
    expect((await bench.run()).stderr).toContain('2 failed');
    expect((await history(bench.server)).map(([attempt]) => attempt)).toEqual([1, 1]);
  });

  it('a failure handler that cannot be read is named, and its jobs stay failed', async () => {
    const bench = await benchOf({ ...handler({ exit_codes: [7] }), jobs: [job(succeedsAt(2))] });
    const { client } = bench.server;
    // The server takes any text; a job that is made meanwhile is added to those of the file.
    const body = { workflow_id: 1, name: 'unreadable', rules: '{}' };
    const { id } = await client.createFailureHandler({ body });
    await client.createJob({ body: { workflow_id: 1, name: 'other', command: 'exit 7', failure_handler_id: id } });
    await client.initializeJobs({ params: { id: 1 } });
    const { stderr } = await bench.run();
    expect(stderr).toContain('A failure handler cannot be read');
    expect(stderr).toContain('expected a list of rules, found an object');
    expect(stderr).toContain('1 job completed, 1 failed');
  });
});

/** A run whose job has failed once and whose recovery script runs, and goes on for longer than anybody waits. */
async function whilePreparing() {
  const bench = await benchOf({
    ...handler({ exit_codes: [7], recovery_script: 'touch preparing; sleep 600' }),
    jobs: [job(succeedsAt(2))],
  });
  const run = start('torc', ['--url', bench.server.url, 'run', '1'], { cwd: bench.folder });
  await until(
    () => existsSync(join(bench.folder, 'preparing')),
    (there) => there,
    'the recovery script',
  );
  return { bench, run };
}

describe('a recovery script', () => {
  it('a recovery script ends before the job runs again, knows of what it is about, and what it prints is kept', async () => {
    const script =
      'sleep 0.3; echo "$TORC_WORKFLOW_ID $TORC_RUN_ID $TORC_JOB_ID $TORC_JOB_NAME $TORC_ATTEMPT_ID $TORC_RETURN_CODE" >> ran; ' +
      'echo "$TORC_OUTPUT_DIR $TORC_WORKFLOW_SUBMISSION_DIR"; echo "$TORC_API_URL" >&2';
    const bench = await benchOf({
      ...handler({ match_all_exit_codes: true, recovery_script: script }),
      jobs: [job(succeedsAt(2))],
    });
    expect((await bench.run()).stderr).toContain('1 job completed');
    // In the runner's working directory, as jobs are.
    expect(lines(bench.folder)).toEqual(['1 1', '1 1 1 flaky 1 7', '1 2']);
    expect(lines(bench.folder, 'torc_output/recovery_wf1_j1_r1_a1.log')).toEqual([
      `torc_output ${bench.folder}`,
      bench.server.url,
    ]);
    expect(await logOf(bench)).toContain('Recovery script finished');
  });

  it('a recovery script that fails is a warning, and the job runs again nevertheless', async () => {
    const bench = await benchOf({
      ...handler({ exit_codes: [7], recovery_script: 'exit 3' }),
      jobs: [job(succeedsAt(2))],
    });
    const { stderr } = await bench.run();
    expect(stderr).toMatch(/Recovery script failed; the job is retried nevertheless .*reason=exit code 3/);
    expect(stderr).toContain('1 job completed');
  });

  it('a recovery script is killed when the runner is asked to end now, and the job is ready for the next one', async () => {
    const { bench, run } = await whilePreparing();
    run.child.kill('SIGINT');
    await run.says('Ending: running jobs');
    run.child.kill('SIGINT');
    const { stderr } = await run.ended;
    expect(stderr).toContain('reason=killed: the runner ends');
    expect((await bench.run()).stderr).toContain('1 job completed');
    expect(lines(bench.folder)).toEqual(['1 1', '1 2']);
  });
});

it('a workflow that asks for it parks what no rule covers, and the runner says that a decision is needed', async () => {
  const bench = await benchOf({
    ...handler({ exit_codes: [8] }),
    use_pending_failed: true,
    jobs: [job('exit 7'), { name: 'after', command: 'true', depends_on: ['flaky'] }],
  });
  const { stderr } = await bench.run();
  expect(stderr).toContain('1 failed (waiting for a decision), 1 not run (blocked)');
  const { items } = await bench.server.client.listJobs({ query: { workflow_id: 1 } });
  expect(items.map(({ status }) => status)).toEqual(['pending_failed', 'blocked']);
  expect(await history(bench.server)).toEqual([[1, 7, 'pending_failed']]);
});

describe('a runner that is killed', () => {
  it('a runner that is killed between a failure and its retry leaves both to the next one, with the true return code', async () => {
    const { bench, run } = await whilePreparing();
    const { items } = await bench.server.client.listComputeNodes({ query: { workflow_id: 1 } });
    const mark = items[0]?.process?.mark as string;
    run.child.kill('SIGKILL');
    await run.ended;
    const { stderr } = await bench.run();
    expect(stderr).toMatch(/A runner of this workflow is lost.* run_again=1 /);
    expect(stderr).toContain('1 job completed');
    expect(lines(bench.folder)).toEqual(['1 1', '1 2']);
    expect(await history(bench.server)).toEqual([
      [1, 7, 'failed'],
      [2, 0, 'completed'],
    ]);
    expect(processesWith('TORC_RUNNER_MARK', mark)).toEqual([]);
  });

  it.each(isCi ? [1, 2] : [1])(
    'a runner that is killed at moments of seed %d loses no attempt and repeats none',
    async (seed) => {
      const next = random(seed);
      const count = 60;
      const flaky = job(succeedsAt(3), { name: 'flaky_{i}', parameters: { i: `1:${count}` } });
      const bench = await benchOf({ ...handler({ exit_codes: [7], max_retries: 20 }), jobs: [flaky] });
      for (let kills = 0; kills < 3; kills += 1) {
        const before = lines(bench.folder).length;
        const run = start('torc', ['--url', bench.server.url, 'run', '1'], { cwd: bench.folder });
        await Promise.race([
          until(
            () => lines(bench.folder).length,
            (length) => length > before,
            'a job to run',
          ),
          run.ended,
        ]);
        await new Promise((resolve) => void setTimeout(resolve, next() * 100));
        run.child.kill('SIGKILL');
        await run.ended;
      }
      expect((await bench.run()).stderr).toContain(`${count} jobs completed`);
      const ran = lines(bench.folder);
      expect(ran.filter((line, index) => ran.indexOf(line) !== index)).toEqual([]);
      const { items } = await bench.server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
      const reported = items.map(({ job_id: id, attempt_id: attempt }) => `${id} ${attempt}`);
      expect(reported.filter((line, index) => reported.indexOf(line) !== index)).toEqual([]);
      expect(ran.filter((line) => !reported.includes(line))).toEqual([]);
      expect(items.filter(({ status }) => status === 'completed')).toHaveLength(count);
    },
  );
});
