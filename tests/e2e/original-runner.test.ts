import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { start, temporaryFolder, torc, until } from '../support/programs.ts';
import { type StandIn, standIn } from '../support/original/stand-in.ts';

/** `torc run` on Torc's own server: real runners and jobs, and the stand-in for the server. */
let folder: string;
let server: StandIn;
beforeEach(async () => {
  folder = temporaryFolder();
  server = await standIn();
});
afterEach(() => server.close());

const examples = resolve(import.meta.dirname, '../../examples');
const environment = () => ({ TORC_API_URL: server.url });

/** Jobs append their names to `ran.txt`: a job that runs twice stands there twice. */
const spec = (text: string): string => {
  const path = join(folder, 'flow.yaml');
  writeFileSync(path, text);
  return path;
};
const run = (...args: string[]) => torc(['run', '-p', '0.2', ...args], { cwd: folder, environment: environment() });
const begin = (...args: string[]) =>
  start('torc', ['run', '-p', '0.2', ...args], { cwd: folder, environment: environment() });

/** Creates and initializes workflow 1, so that a test can look at it before its runner begins. */
const prepared = async (text: string): Promise<void> => {
  for (const words of [
    ['create', spec(text)],
    ['workflows', 'init', '1'],
  ])
    expect((await torc(words, { cwd: folder, environment: environment() })).code).toBe(0);
};

const statuses = async () => {
  const { items } = await server.behind.listJobs({ query: { workflow_id: 1 } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status as string]));
};
const ran = () => readFileSync(join(folder, 'ran.txt'), 'utf8').trimEnd().split('\n');
const active = async () =>
  (await server.behind.listComputeNodes({ query: { workflow_id: 1, is_active: true } })).total_count;

describe('torc run on a server that has no exchange', () => {
  it('torc run on a server that has no exchange runs the diamond in the order that its files imply, and stores their times', async () => {
    const { code, stderr } = await run(join(examples, 'diamond.yaml'));
    expect([code, stderr]).toEqual([0, expect.stringMatching(/✓ diamond \(workflow 1\): 4 jobs completed in /)]);
    expect(readFileSync(join(folder, 'torc_output/diamond/result.txt'), 'utf8')).toBe('5050 338350\n');
    const { items: files } = await server.behind.listFiles({ query: { workflow_id: 1 } });
    expect(files.every(({ st_mtime: mtime }) => typeof mtime === 'number')).toBe(true);
    expect(await active()).toBe(0);
    const paths = server.asked.map(({ path }) => path.replaceAll(/\d+/g, 'N'));
    expect(paths.filter((path) => path.endsWith('/exchange'))).toHaveLength(1);
    expect(paths).toContain('/jobs/N/start_job/N/N');
    expect(paths).toContain('/workflows/N/batch_complete_jobs');
  });

  it('torc run on a server that has no exchange exits with 0 when jobs failed, and cancels what depends on them unless that says otherwise', async () => {
    const path = spec(`
name: failing
jobs:
  - {name: bad, command: "echo the reason >&2; exit 3"}
  - {name: after, command: "true", depends_on: [bad]}
  - {name: brave, command: "true", depends_on: [bad], cancel_on_blocking_job_failure: false}
`);
    const { code, stderr } = await run(path);
    expect(code).toBe(0);
    expect(stderr).toContain('1 job completed, 1 failed, 1 stopped (canceled)');
    expect(stderr).toMatch(/bad \(job 1\) failed with exit code 3 after /);
    expect(await statuses()).toEqual({ bad: 'failed', after: 'canceled', brave: 'completed' });
    expect((await run('--fail', path)).code).toBe(1);
  });

  it('torc run on a server that has no exchange runs 200 jobs on 4 slots, each once', async () => {
    const path = spec(`
name: many
jobs: [{name: "j{i}", command: "echo j{i} >> ran.txt", parameters: {i: "1:200"}}]
`);
    const { code, stderr } = await run('--max-parallel-jobs', '4', path);
    expect([code, stderr]).toEqual([0, expect.stringContaining('200 jobs completed')]);
    expect(ran().toSorted()).toEqual(Array.from({ length: 200 }, (_, index) => `j${index + 1}`).toSorted());
  });

  it('torc run on a server that has no exchange runs a job again by the rule of its failure handler, and no more often than that says', async () => {
    const path = spec(`
name: again
jobs:
  - {name: heals, command: "echo heals >> ran.txt; test $(grep -c heals ran.txt) -ge 3", failure_handler: h}
  - {name: never, command: "echo never >> ran.txt; exit 7", failure_handler: h}
failure_handlers: [{name: h, rules: [{match_all_exit_codes: true, max_retries: 3}]}]
`);
    expect((await run(path)).code).toBe(0);
    expect(await statuses()).toEqual({ heals: 'completed', never: 'failed' });
    expect(ran().toSorted()).toEqual([...Array<string>(3).fill('heals'), ...Array<string>(3).fill('never')]);
  });

  it('torc run on a server that has no exchange carries out the actions of the start, of jobs and of the end', async () => {
    const path = spec(`
name: acting
jobs:
  - {name: a, command: "echo a >> ran.txt"}
  - {name: b, command: "echo b >> ran.txt", depends_on: [a]}
actions:
  - {trigger_type: on_workflow_start, action_type: run_commands, commands: ["echo start >> ../ran.txt"]}
  - {trigger_type: on_jobs_complete, action_type: run_commands, jobs: [a], commands: ["echo after a >> ../ran.txt"]}
  - {trigger_type: on_workflow_complete, action_type: run_commands, commands: ["echo end >> ../ran.txt"]}
`);
    expect((await run(path)).code).toBe(0);
    expect(ran().toSorted()).toEqual(['a', 'after a', 'b', 'end', 'start']);
    expect([ran()[0], ran().at(-1)]).toEqual(['start', 'end']);
  });

  it('torc run on a server that has no exchange runs commands without a file, and claims only what its labels cover', async () => {
    const place = { cwd: folder, environment: environment() };
    const exec = await torc(['exec', '-c', 'echo {i} >> ran.txt', '--param', 'i=1:3'], place);
    expect([exec.code, ran().toSorted()]).toEqual([0, ['1', '2', '3']]);
    const path = spec(`
name: labelled
compute_node_wait_for_new_jobs_seconds: 1
jobs: [{name: plain, command: "true"}, {name: special, command: "true", labels: [gpu]}]
`);
    expect((await run('--label', 'gpu', path)).stderr).toContain('1 job completed');
    const { items } = await server.behind.listJobs({ query: { workflow_id: 2 } });
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['plain', 'ready'],
      ['special', 'completed'],
    ]);
  });

  it('torc run on a server that has no exchange waits with --persistent for a job with its labels, beyond its idle time, and runs it', async () => {
    await prepared(`
name: labelled
compute_node_wait_for_new_jobs_seconds: 1
jobs: [{name: gate, command: "true"}, {name: special, command: "true", labels: [gpu], depends_on: [gate]}]
`);
    const startedMs = performance.now();
    const runner = begin('--label', 'gpu', '--persistent', '1');
    const checks = async () => server.asked.filter(({ method, path }) => method === 'GET' && path === '/jobs').length;
    // Two checks that are seconds apart: without --persistent it had left at the second.
    await until(checks, (count) => count > 0 && performance.now() - startedMs > 2_500, 'its checks for open jobs');
    const registered = await server.client.listComputeNodes({ query: { workflow_id: 1, is_active: true } });
    expect(registered.items).toMatchObject([{ labels: ['gpu'] }]);
    const other = await torc(['run', '-p', '0.2', '1', '-o', 'other'], { cwd: folder, environment: environment() });
    expect(other.code).toBe(0);
    const { code, stderr } = await runner.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
    expect(await statuses()).toEqual({ gate: 'completed', special: 'completed' });
  });

  it('torc run on a server that has no exchange asks its jobs to end at the first Ctrl-C, gives back what it had not started, and leaves with 130', async () => {
    await prepared(`
name: long
jobs: [{name: "j{i}", command: "echo j{i} >> ran.txt; exec sleep 60", parameters: {i: "1:6"}}]
`);
    const runner = begin('--max-parallel-jobs', '2', '1');
    await until(
      () => server.behind.getWorkflowStatus({ params: { id: 1 } }),
      ({ jobs_by_status: counts }) => counts.running === 2,
      'two jobs to run',
    );
    runner.child.kill('SIGINT');
    expect((await runner.ended).code).toBe(130);
    expect(Object.values(await statuses()).toSorted()).toEqual([
      ...Array<string>(4).fill('ready'),
      'terminated',
      'terminated',
    ]);
    expect(await active()).toBe(0);
  });

  it('torc run on a server that has no exchange ends its jobs when the workflow is canceled', async () => {
    await prepared(`
name: long
jobs: [{name: a, command: exec sleep 60}, {name: b, command: "true", depends_on: [a]}]
`);
    const runner = begin('1');
    await until(statuses, ({ a }) => a === 'running', 'the job to run');
    expect((await torc(['cancel', '1', '--no-prompts'], { cwd: folder, environment: environment() })).code).toBe(0);
    const { code, stderr } = await runner.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('canceled')]);
    expect((await statuses())['a']).toBe('canceled');
  });

  it('torc run on a server that has no exchange shares the jobs with another runner, and each job runs once', async () => {
    await prepared(`
name: shared
jobs:
  - {name: "j{i}", command: "echo j{i} >> ran.txt; sleep 0.02", parameters: {i: "1:60"}}
  - {name: last, command: "echo last >> ran.txt", depends_on_regexes: ["j.*"]}
`);
    const runners = ['a', 'b'].map((name) => begin('--max-parallel-jobs', '2', '-o', join(folder, name), '1'));
    expect((await Promise.all(runners.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
    expect(ran().toSorted()).toEqual([...Array.from({ length: 60 }, (_, index) => `j${index + 1}`), 'last'].toSorted());
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['completed']));
    const nodes = await server.behind.listResults({ query: { workflow_id: 1 } });
    expect(new Set(nodes.items.map(({ compute_node_id: id }) => id)).size).toBe(2);
  });

  it('torc run on a server that has no exchange leaves when nothing can start any more, after the time that Torc’s background task may take', async () => {
    const path = spec(`
name: stuck
compute_node_wait_for_new_jobs_seconds: 1
use_pending_failed: true
jobs: [{name: a, command: exit 1}, {name: b, command: "true", depends_on: [a]}]
`);
    const { stderr } = await run(path);
    expect(stderr).toContain('no job that is left can start');
    expect(await statuses()).toEqual({ a: 'pending_failed', b: 'blocked' });
  });
});

describe('after a runner on Torc’s own server was killed', () => {
  it('its jobs run again when a person resets them as the guide says, and not before', async () => {
    await prepared(`
name: killed
compute_node_wait_for_new_jobs_seconds: 1
jobs:
  - {name: long, command: "echo long >> ran.txt; test $(grep -c long ran.txt) -ge 2 || exec sleep 15"}
  - {name: after, command: "echo after >> ran.txt", depends_on: [long]}
`);
    const runner = begin('1');
    await until(statuses, ({ long }) => long === 'running', 'the job to run');
    runner.child.kill('SIGKILL');
    await runner.ended;
    const place = { cwd: folder, environment: environment() };
    expect((await run('1')).stderr).toContain('no job for 1 s');
    expect(await statuses()).toEqual({ long: 'running', after: 'blocked' });

    const reset = ['--status', 'pending', '--status', 'running', '--workflow-id', '1', '--force', '--reinit'];
    const { code, stderr } = await torc(['jobs', 'reset-status', ...reset, '--no-prompts'], place);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect((await run('1')).code).toBe(0);
    expect(await statuses()).toEqual({ long: 'completed', after: 'completed' });
    expect(ran()).toEqual(['long', 'long', 'after']);
  });
});

describe('torc-slurm-job-runner on a server that has no exchange', () => {
  it('torc-slurm-job-runner on a server that has no exchange runs the jobs, and says how its allocation stands', async () => {
    await prepared(
      'name: flow\njobs:\n  - {name: a, command: "true"}\n  - {name: b, command: "true", depends_on: [a]}\n',
    );
    const allocation = { workflow_id: 1, scheduler_id: 42, scheduler_config_id: 1, scheduler_type: 'slurm' };
    const row = await server.client.createScheduledComputeNode({ body: { ...allocation, status: 'pending' } });
    const slurm = {
      SLURM_JOB_ID: '42',
      SLURM_NODEID: '0',
      SLURM_TASK_PID: '77',
      SLURM_JOB_NUM_NODES: '1',
      SLURM_CPUS_ON_NODE: '2',
      SLURM_MEM_PER_NODE: '1024',
      SLURM_JOB_END_TIME: String(Math.floor(Date.now() / 1000) + 3600),
      SLURM_JOB_GPUS: '',
      CUDA_VISIBLE_DEVICES: undefined,
    };
    const words = [server.url, '1', 'out', '--poll-interval', '1'];
    const { code } = await start('torc-slurm-job-runner', words, { cwd: folder, environment: slurm }).ended;
    expect(code).toBe(0);
    expect(await statuses()).toEqual({ a: 'completed', b: 'completed' });
    expect(await server.behind.getScheduledComputeNode({ params: { id: row.id } })).toEqual({
      id: row.id,
      ...allocation,
      status: 'complete',
    });
  });
});

describe('torc run on a server that has no exchange, when answers are lost', () => {
  it.each([
    ['its registration', 'POST', /compute_nodes/],
    ['a claim', 'POST', /claim_jobs_based_on_resources/],
    ['a start', 'PUT', /start_job/],
    ['a batch of ends', 'POST', /batch_complete_jobs/],
    ['the counts', 'GET', /\/status$/],
  ])(
    'torc run on a server that has no exchange, when answers are lost runs each job once though the answer to %s is lost',
    async (_, method, path) => {
      // The start of a job that ends at once is never reported by itself.
      const file = spec(`
name: lossy
jobs:
  - {name: "j{i}", command: "echo j{i} >> ran.txt; sleep 0.2", parameters: {i: "1:12"}}
  - {name: last, command: "echo last >> ran.txt", depends_on_regexes: ["j.*"]}
`);
      for (let times = 0; times < 2; times += 1) server.loseAnswer(method, path);
      expect((await run('--num-cpus', '3', file)).code).toBe(0);
      expect(server.answersToLose).toBe(0);
      expect(ran().toSorted()).toEqual(
        [...Array.from({ length: 12 }, (_each, index) => `j${index + 1}`), 'last'].toSorted(),
      );
      expect(new Set(Object.values(await statuses()))).toEqual(new Set(['completed']));
      expect(await active()).toBe(0);
    },
  );

  it('torc run on a server that has no exchange, when answers are lost goes on while the server is away, and reports the ends when it is back', async () => {
    await prepared(`
name: away
jobs:
  - {name: long, command: "echo long >> ran.txt; until test -e back; do sleep 0.05; done"}
  - {name: after, command: "echo after >> ran.txt", depends_on: [long]}
`);
    const runner = begin('1');
    await until(statuses, ({ long }) => long === 'running', 'the job to run');
    await server.leave();
    writeFileSync(join(folder, 'back'), '');
    await runner.says('Server does not answer');
    await server.comeBack();
    expect((await runner.ended).code).toBe(0);
    expect(ran()).toEqual(['long', 'after']);
    expect(await statuses()).toEqual({ long: 'completed', after: 'completed' });
  });

  it('torc run on a server that has no exchange, when answers are lost runs a job again once though the answer to its retry is lost', async () => {
    server.loseAnswer('POST', /\/retry\//);
    const file = spec(`
name: again
jobs: [{name: heals, command: "echo heals >> ran.txt; test $(grep -c heals ran.txt) -ge 2", failure_handler: h}]
failure_handlers: [{name: h, rules: [{match_all_exit_codes: true, max_retries: 5}]}]
`);
    expect((await run(file)).code).toBe(0);
    expect(server.answersToLose).toBe(0);
    expect(ran()).toEqual(['heals', 'heals']);
    expect((await server.behind.getJob({ params: { id: 1 } })).attempt_id).toBe(2);
  });
});
