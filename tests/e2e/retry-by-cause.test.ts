import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialized } from '../support/initialized.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** Holds this much memory for two samples of its runner. */
const holds = (mebibytes: number) =>
  `node -e 'const kept = Buffer.alloc(${mebibytes} * 2 ** 20, 1); setTimeout(() => kept.length, 2500)'`;
const grow = { name: 'grow', on_oom: { memory: 'x1.5', max: '400m' } };
const small = { name: 'small', num_cpus: 1, memory: '200m', runtime: 'PT5M' };
const monitored = { resource_monitor: { sample_interval_seconds: 1, jobs: { enabled: true } } };

async function benchOf(spec: object) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'causes', resource_requirements: [small], ...spec }));
  const server = await startServer(folder);
  const call = (...args: string[]) => torc(['--url', server.url, ...args], { cwd: folder });
  await initialized(server, folder, 'flow.json');
  return { folder, server, call };
}

interface Listed {
  readonly job_name: string;
  readonly attempt_id: number;
  readonly return_code: number;
  readonly cause?: string;
}
type Call = Awaited<ReturnType<typeof benchOf>>['call'];

const resultsOf = async (call: Call, name: string) => {
  const { items } = JSON.parse((await call('-f', 'json', 'results', 'list', '1', '--all-runs')).stdout) as {
    items: Listed[];
  };
  return items
    .filter((each) => each.job_name === name)
    .map(({ attempt_id: attempt, return_code: code, cause }) => [attempt, code, cause]);
};

describe('a job that is killed for its memory', () => {
  it('it completes with more in the same run, one that needs too much fails with the maximum as cause, and others keep their memory', async () => {
    const job = { resource_requirements: 'small', failure_handler: 'grow' };
    const { server, call } = await benchOf({
      ...monitored,
      failure_handlers: [grow],
      jobs: [
        { ...job, name: 'large', command: holds(260) },
        { ...job, name: 'huge', command: holds(600) },
        { ...job, name: 'sibling', command: 'true' },
      ],
    });
    const { stderr } = await call('run', '1', '--num-cpus', '3', '--memory-gb', '2');
    expect(stderr).toContain('2 jobs completed, 1 failed');
    expect(stderr).toContain('it had 400 MiB, the max of on_oom');

    expect(await resultsOf(call, 'large')).toEqual([
      [
        1,
        137,
        expect.stringMatching(
          /it used [\d.]+ of 200 MiB; it had 200 MiB; the next attempt has (300|400) MiB \(on_oom\)$/,
        ),
      ],
      [2, 0, undefined],
    ]);
    expect((await resultsOf(call, 'huge')).at(-1)).toEqual([
      expect.any(Number),
      137,
      expect.stringMatching(/it used [\d.]+ of 400 MiB; it had 400 MiB, the max of on_oom$/),
    ]);
    expect(await resultsOf(call, 'sibling')).toEqual([[1, 0, undefined]]);
    const needs = await server.client.getResourceRequirements({ params: { id: 2 } });
    expect(needs).toMatchObject({ name: 'small', memory: '200m' });

    const { items } = await server.client.listResults({ query: { workflow_id: 1, all_runs: true } });
    expect(items.flatMap(({ job_id: job, handler_limit: limit }) => (limit ? [[job, limit]] : []))).toEqual([
      [2, 'max'],
    ]);

    const explained = await call('jobs', 'explain', '2');
    expect(explained.stdout).toMatch(
      /^Job 2 \(huge\) failed after .*\n  it used more memory than it may: .*it used [\d.]+ of 400 MiB; it had 400 MiB, the max of on_oom$/m,
    );
    expect(explained.stdout).toMatch(
      /\n {2}attempt 1 failed .*\n {4}.*: .*it used [\d.]+ of 200 MiB; it had 200 MiB; the next attempt has/,
    );
    // To exceed the maximum is for the person who set it.
    const plan = await call('recover', '1', '--dry-run');
    expect(plan.stdout).toContain('1 job had all that its failure handler allows');
    expect(plan.stdout).toContain('No job runs again.');
  });

  it('one whose next size fits no runner waits ready, and explain says which size it needs', async () => {
    const { call } = await benchOf({
      ...monitored,
      failure_handlers: [{ ...grow, on_oom: { memory: 'x20', max: '64g' } }],
      jobs: [{ name: 'large', command: holds(260), resource_requirements: 'small', failure_handler: 'grow' }],
    });
    const { stderr } = await call('run', '1', '--num-cpus', '1', '--memory-gb', '1');
    expect(stderr).toContain('1 not run (ready)');
    const { stdout } = await call('jobs', 'explain', '1');
    expect(stdout).toMatch(/the job needs 3\.9 GiB, it had 1 GiB|the job needs 4000 MiB/);
    expect(stdout).toMatch(
      /\n {2}attempt 1 failed .*\n {4}.*: .*it used [\d.]+ of 200 MiB; it had 200 MiB; the next attempt has 3.9 GiB \(on_oom\)\n/,
    );
  });
});

it('a job whose time is up gets more, waits for a runner that has it, and completes there', async () => {
  const { folder, call } = await benchOf({
    execution_config: { sigkill_headroom_seconds: 1, sigterm_lead_seconds: 1 },
    failure_handlers: [{ name: 'longer', on_timeout: { runtime: 'x2', max: 'PT1H' } }],
    resource_requirements: [{ ...small, runtime: 'PT2S' }],
    jobs: [
      {
        name: 'slow',
        command: 'test "$TORC_ATTEMPT_ID" = 2 || exec sleep 600',
        resource_requirements: 'small',
        failure_handler: 'longer',
      },
    ],
  });
  const first = await call('run', '1', '--time-limit', 'PT6S');
  expect(first.stderr).toContain('1 not run (ready)');
  const { stdout } = await call('jobs', 'explain', '1');
  expect(stdout).toMatch(
    /\n {2}attempt 1 was terminated .*\n {4}.*: it had PT2S; the next attempt has PT1M \(on_timeout\)\n/,
  );
  expect((await call('run', '1')).stderr).toContain('1 job completed');
  expect((await resultsOf(call, 'slow')).map(([attempt, code]) => [attempt, code === 0])).toEqual([
    [1, false],
    [2, true],
  ]);
  expect(existsSync(join(folder, 'torc_output'))).toBe(true);
});

it('a job that ended for its time with the code of its workflow is raised as announced, and one below its limit is not', async () => {
  const { call } = await benchOf({
    execution_config: { mode: 'direct', timeout_exit_code: 200, sigkill_headroom_seconds: 2, sigterm_lead_seconds: 1 },
    resource_requirements: [
      { ...small, runtime: 'PT4S' },
      { ...small, name: 'long', runtime: 'PT5S' },
    ],
    jobs: [
      { name: 'ignores', command: "trap '' TERM; while :; do sleep 1; done", resource_requirements: 'small' },
      { name: 'leaves', command: "trap 'exit 9' TERM; while :; do sleep 0.1; done", resource_requirements: 'long' },
    ],
  });
  await call('run', '1', '--time-limit', 'PT6S');
  const results = await Promise.all(['ignores', 'leaves'].map((name) => resultsOf(call, name)));
  expect(results.map(([only]) => only?.[1])).toEqual([200, 9]);
  const shown = async (...words: string[]) => (await call(...words)).stdout;
  expect(await shown('-f', 'json', 'workflows', 'check-resources', '1', '--include-failed')).toContain('sigxcpu_152');
  const plan = await shown('recover', '1', '--dry-run');
  expect(plan).toContain('1 job had too little time');
  expect(plan).toContain('1 job was stopped with its runner');
  expect(plan).toContain('1 job(s) would have runtime increased');
  expect(plan).toMatch(/runtime PT4S → PT1M/);
  expect(plan).not.toMatch(/runtime PT5S →/);
  for (const name of ['ignores', 'leaves'])
    expect(await shown('jobs', 'explain', name)).toContain('its time was up: its own limit, or the end of its runner');
  const done = await shown('recover', '1', '--no-prompts');
  expect(done).toContain('1 job(s) had runtime increased');
  const raised = JSON.parse(await shown('-f', 'json', 'resource-requirements', 'list', '1')) as {
    items: { name: string; runtime: string }[];
  };
  const runtimes = Object.fromEntries(raised.items.map(({ name, runtime }) => [name, runtime]));
  expect(runtimes).toMatchObject({ small: 'PT1M', long: 'PT5S' });
});

it('a runner that is asked to end does not wait for the pause before the next attempt', async () => {
  const { folder, server, call } = await benchOf({
    failure_handlers: [{ name: 'slowly', rules: [{ exit_codes: [7] }], backoff: { initial: 'PT1H' } }],
    jobs: [
      { name: 'flaky', command: 'echo ran >> ran; test "$TORC_ATTEMPT_ID" = 2 || exit 7', failure_handler: 'slowly' },
    ],
  });
  const run = start('torc', ['--url', server.url, 'run', '1'], { cwd: folder });
  const log = async () => {
    const [node] = (await server.client.listComputeNodes({ query: { workflow_id: 1 } })).items;
    const path = join(folder, `torc_output/job_runner_${node?.hostname}_wf1_r1.log`);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  await until(log, (text) => text.includes('Job retry scheduled'), 'the retry');
  expect(await log()).toMatch(/Job retry scheduled .*pause_s=3600/);
  // Nothing begins it meanwhile, here or elsewhere.
  expect((await server.client.getJob({ params: { id: 1 } })).status).toBe('running');
  run.child.kill('SIGINT');
  await run.ended;
  expect(await server.client.getJob({ params: { id: 1 } })).toMatchObject({ status: 'ready', attempt_id: 2 });
  expect((await call('run', '1')).stderr).toContain('1 job completed');
  expect(readFileSync(join(folder, 'ran'), 'utf8')).toBe('ran\nran\n');
});
