import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCi } from '../support/in-ci.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';
import { random } from '../support/random.ts';
import { processesWith, readProcesses } from '../support/processes.ts';

/** Runs of each test, every one with moments of its own: more by hand, with TORC_SEEDS. */
const SEEDS = Array.from({ length: Number(process.env['TORC_SEEDS'] ?? (isCi ? 2 : 1)) }, (_, index) => index + 1);

const JOBS = 300;

/** Jobs that say that they ran, in a file that all append to, and take a little while; some depend on others. */
const flow = (folder: string, seconds: string): string => {
  const path = join(folder, 'flow.yaml');
  const command = `echo "$TORC_JOB_ID $TORC_ATTEMPT_ID" >> ran; ${seconds === '' ? 'true' : `sleep ${seconds}`}`;
  writeFileSync(
    path,
    `
name: crash
jobs:
  - {name: "first_{i}", parameters: {i: "1:${JOBS}"}, command: '${command}'}
  - {name: "second_{i}", parameters: {i: "1:${JOBS}"}, depends_on: ["first_{i}"], command: '${command}'}
`,
  );
  return path;
};

/** What ran, as `job attempt`, in order. */
const ran = (folder: string): string[] =>
  existsSync(join(folder, 'ran')) ? readFileSync(join(folder, 'ran'), 'utf8').trimEnd().split('\n') : [];

const twice = (lines: readonly string[]) => lines.filter((line, index) => lines.indexOf(line) !== index);

async function begin(folder: string, seconds: string): Promise<RunningServer> {
  const server = await startServer(folder);
  await torc(['--url', server.url, 'create', flow(folder, seconds)], { cwd: folder });
  await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });
  return server;
}

const counts = async ({ client }: RunningServer) =>
  (await client.getWorkflowStatus({ params: { id: 1 } })).jobs_by_status;

const commandOf = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '';

const pause = (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms));

describe.each(SEEDS)('with moments of seed %d', (seed) => {
  it('a server that is killed and started again loses nothing, and no job runs twice', async () => {
    const next = random(seed);
    const folder = temporaryFolder();
    let server = await begin(folder, '');
    const run = start('torc', ['--url', server.url, 'run', '1', '--num-cpus', '4'], { cwd: folder });
    await until(
      () => ran(folder).length,
      (count) => count > 0,
      'a job to run',
    );
    for (let kills = 0; kills < 4; kills += 1) {
      await pause(next() * 100);
      server.program.child.kill('SIGKILL');
      await server.program.ended;
      await pause(next() * 200);
      server = await startServer(folder, { port: server.port });
    }
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining(`${JOBS * 2} jobs completed`)]);
    expect(await counts(server)).toMatchObject({ completed: JOBS * 2 });
    const lines = ran(folder);
    expect([twice(lines), lines.length]).toEqual([[], JOBS * 2]);
  });

  it('a runner that is killed leaves the rest to the next one, and no job runs twice in one attempt', async () => {
    const next = random(seed + 1000);
    const folder = temporaryFolder();
    const server = await begin(folder, next() < 0.5 ? '' : '0.03');
    for (let kills = 0; kills < 3; kills += 1) {
      const before = ran(folder).length;
      const run = start('torc', ['--url', server.url, 'run', '1', '--num-cpus', '4'], { cwd: folder });
      await Promise.race([
        until(
          () => ran(folder).length,
          (count) => count > before,
          'a job to run',
        ),
        run.ended,
      ]);
      await pause(next() * 150);
      run.child.kill('SIGKILL');
      await run.ended;
    }
    const last = await torc(['--url', server.url, 'run', '1', '--num-cpus', '4'], { cwd: folder });
    expect([last.code, last.stderr]).toEqual([0, expect.stringContaining(`${JOBS * 2} jobs completed`)]);
    const lines = ran(folder);
    expect(twice(lines)).toEqual([]);
    const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
    const attempts = items.map(({ job_id: job, attempt_id: attempt }) => `${job} ${attempt}`);
    expect(twice(attempts)).toEqual([]);
    // Everything that ran is accounted for: as a result, or as an attempt that was lost with its runner.
    expect(lines.filter((line) => !attempts.includes(line))).toEqual([]);
    expect(readdirSync(join(folder, 'torc_output/job_runner_ledger')).length).toBeLessThanOrEqual(3);
  });
});

it('jobs that a killed runner left behind are ended before they run again', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `name: stray\njobs: [{name: long, command: 'echo $TORC_ATTEMPT_ID >> attempts; test $TORC_ATTEMPT_ID != 1 || sleep 600'}]\n`,
  );
  const run = start('torc', ['--url', server.url, 'run', path], { cwd: folder });
  await until(
    () => existsSync(join(folder, 'attempts')),
    (there) => there,
    'the job to begin',
  );
  const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
  const mark = items[0]?.process?.mark as string;
  run.child.kill('SIGKILL');
  await run.ended;
  expect(processesWith('TORC_RUNNER_MARK', mark)).not.toEqual([]);

  const again = await torc(['--url', server.url, 'run', '1'], { cwd: folder });
  expect(again.stderr).toContain('A runner of this workflow is lost');
  expect(again.stderr).toContain('1 job completed');
  expect(processesWith('TORC_RUNNER_MARK', mark)).toEqual([]);
  expect(readFileSync(join(folder, 'attempts'), 'utf8')).toBe('1\n2\n');
});

it('a runner that waits for the jobs of another takes them over when that one is killed', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `name: waits\njobs: [{name: long, command: 'echo $TORC_ATTEMPT_ID >> attempts; test $TORC_ATTEMPT_ID != 1 || sleep 600'}]\n`,
  );
  const first = start('torc', ['--url', server.url, 'run', path], { cwd: folder });
  await until(
    () => existsSync(join(folder, 'attempts')),
    (there) => there,
    'the job to begin',
  );
  const second = start('torc', ['--url', server.url, 'run', '1', '--poll-interval', '0.2'], { cwd: folder });
  await until(
    async () => (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).total_count,
    (nodes) => nodes === 2,
    'the second runner',
  );
  first.child.kill('SIGKILL');
  const { code, stderr } = await second.ended;
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
  expect(stderr).toContain('A runner of this workflow is lost');
  expect(readFileSync(join(folder, 'attempts'), 'utf8')).toBe('1\n2\n');
});

it('what a killed runner had finished and not reported is not run again', async () => {
  const folder = temporaryFolder();
  const server = await startServer(folder);
  const path = join(folder, 'flow.yaml');
  writeFileSync(
    path,
    `name: unreported\njobs: [{name: quick, command: 'echo x >> ran'}, {name: long, command: 'touch began; sleep 600'}]\n`,
  );
  await torc(['--url', server.url, 'create', path], { cwd: folder });
  await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });
  // The server goes away as soon as the jobs are out, so that the end of the first one cannot be reported.
  const run = start('torc', ['--url', server.url, 'run', '1', '--num-cpus', '2'], { cwd: folder });
  await until(
    () => existsSync(join(folder, 'ran')) || existsSync(join(folder, 'began')),
    (there) => there,
    'a job to begin',
  );
  server.program.child.kill('SIGKILL');
  await until(
    () => existsSync(join(folder, 'ran')) && existsSync(join(folder, 'began')),
    (there) => there,
    'both jobs to begin',
  );
  const log = join(folder, 'torc_output');
  await until(
    () =>
      readdirSync(join(log, 'job_runner_ledger'))
        .map((name) => readFileSync(join(log, 'job_runner_ledger', name), 'utf8'))
        .join(''),
    (text) => text.includes('\nE {'),
    'the end in the ledger',
  );
  run.child.kill('SIGKILL');
  await run.ended;
  const back = await startServer(folder, { port: server.port });
  writeFileSync(join(folder, 'release'), '');
  const again = start('torc', ['--url', back.url, 'run', '1', '--num-cpus', '2'], { cwd: folder });
  await until(
    () => counts(back),
    ({ completed, running }) => completed === 1 && running === 1,
    'the long job alone to run',
  );
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('x\n');
  again.child.kill('SIGKILL');
});

it('a standalone server that is killed is started again, and the run goes on', async () => {
  const folder = temporaryFolder();
  const run = start('torc', ['-s', 'run', flow(folder, '0.01'), '--num-cpus', '4'], { cwd: folder });
  await until(
    () => ran(folder).length,
    (count) => count > 20,
    'jobs to run',
  );
  const servers = readProcesses().filter(
    ({ pid, parentPid }) => parentPid === run.child.pid && commandOf(pid).includes('torc-server.mjs'),
  );
  expect(servers).toHaveLength(1);
  process.kill(servers[0]?.pid as number, 'SIGKILL');
  const { code, stderr } = await run.ended;
  expect([code, stderr.includes('starting it again'), stderr.includes(`${JOBS * 2} jobs completed`)]).toEqual([
    0,
    true,
    true,
  ]);
  expect(twice(ran(folder))).toEqual([]);
});
