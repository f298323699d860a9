import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initialized } from '../support/initialized.ts';
import { type RunningServer, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

interface Bench {
  readonly folder: string;
  readonly server: RunningServer;
  run(...options: string[]): ReturnType<typeof start>;
}

/** A server with the workflow initialized. */
async function benchOf(spec: object): Promise<Bench> {
  const folder = temporaryFolder();
  const path = join(folder, 'flow.json');
  writeFileSync(path, JSON.stringify({ name: 'acting', ...spec }));
  const server = await startServer(folder);
  await initialized(server, path);
  return {
    folder,
    server,
    run: (...options) =>
      start('torc', ['--url', server.url, 'run', '1', '--num-cpus', '2', ...options], {
        cwd: folder,
        environment: { PATH: withoutSlurm(folder) },
      }),
  };
}

/** A PATH with shells and without sbatch, which may be installed here. */
function withoutSlurm(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['bash', 'sh', 'sleep', 'touch', 'true', 'cat']) {
    if (!existsSync(join(bin, name))) symlinkSync(join('/bin', name), join(bin, name));
  }
  return bin;
}

/** An action that notes a word in the file that jobs note theirs in; it runs in the output directory, beneath theirs. */
const notes = (trigger: string, word: string, over: object = {}) => ({
  trigger_type: trigger,
  action_type: 'run_commands',
  commands: [`echo ${word} >> ../said`],
  ...over,
});
const job = (name: string, over: object = {}) => ({ name, command: `echo ${name} >> said`, ...over });

const said = (folder: string): string[] =>
  existsSync(join(folder, 'said')) ? readFileSync(join(folder, 'said'), 'utf8').trimEnd().split('\n') : [];

const file = (folder: string, pattern: RegExp) => {
  const names = readdirSync(join(folder, 'torc_output')).filter((name) => pattern.test(name));
  expect(names).toHaveLength(1);
  return readFileSync(join(folder, 'torc_output', names[0] as string), 'utf8');
};

describe('the actions of a workflow', () => {
  it('the actions of a workflow come in their order: the start, the worker, the jobs, the end, the worker again', async () => {
    const { folder, run } = await benchOf({
      jobs: [job('first'), job('second', { depends_on: ['first'] })],
      actions: [
        notes('on_worker_complete', 'worker-complete'),
        notes('on_workflow_complete', 'workflow-complete'),
        notes('on_jobs_complete', 'second-complete', { jobs: ['second'] }),
        notes('on_worker_start', 'worker-start'),
        notes('on_workflow_start', 'workflow-start'),
      ],
    });
    const { code, stderr } = await run().ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 jobs completed')]);
    expect(said(folder)).toEqual([
      'workflow-start',
      'worker-start',
      'first',
      'second',
      'second-complete',
      'workflow-complete',
      'worker-complete',
    ]);
  });

  it('the actions of a workflow of jobs are carried out while others run', async () => {
    const waits = 'until test -e acted; do sleep 0.02; done';
    const { folder, run } = await benchOf({
      jobs: [job('early'), job('late', { command: waits }), job('after', { depends_on: ['early'], command: waits })],
      actions: [
        notes('on_jobs_complete', 'early-complete', { jobs: ['early'] }),
        notes('on_jobs_ready', 'after-ready', {
          jobs: ['after'],
          commands: ['echo after-ready >> ../said', 'touch ../acted'],
        }),
      ],
    });
    expect((await run().ended).stderr).toContain('3 jobs completed');
    expect(said(folder)).toEqual(['early', 'after-ready', 'early-complete']);
  });

  it('run in the output directory, know of their workflow, and what they print is kept where the log says', async () => {
    const { folder, run, server } = await benchOf({
      jobs: [job('only')],
      actions: [
        notes('on_workflow_start', '', {
          commands: [
            'pwd; echo "$TORC_WORKFLOW_ID $TORC_RUN_ID $TORC_OUTPUT_DIR $TORC_WORKFLOW_SUBMISSION_DIR"',
            'echo "$TORC_API_URL ${TORC_JOB_ID:-no job}" >&2',
          ],
        }),
      ],
    });
    await run().ended;
    const output = join(folder, 'torc_output');
    expect(file(folder, /^action_wf1_a1_r1_n1\.log$/)).toBe(
      `${output}\n1 1 ${output} ${folder}\n${server.url} no job\n`,
    );
    const log = file(folder, /^job_runner_(?!ledger)/);
    expect(log).toMatch(/Action started .*action_id=1 .*output=torc_output\/action_wf1_a1_r1_n1\.log/);
    expect(log).toMatch(/Action finished .*action_id=1/);
  });

  it('the actions of a workflow stop at the first command that fails, say so, and never fail the workflow', async () => {
    const { folder, run } = await benchOf({
      jobs: [job('only')],
      actions: [notes('on_workflow_start', '', { commands: ['echo one >> ../said', 'exit 3', 'echo two >> ../said'] })],
    });
    const { code, stderr } = await run().ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(stderr).toContain('reason=exit code 3 of exit 3');
    expect(said(folder)).toEqual(['one', 'only']);
  });

  it('the actions of a workflow of the end do not come when it was canceled; the worker’s does', async () => {
    const { folder, run, server } = await benchOf({
      jobs: [job('long', { command: 'touch began; sleep 600' })],
      actions: [notes('on_workflow_complete', 'end'), notes('on_worker_complete', 'worker-complete')],
    });
    const runner = run();
    await until(
      () => existsSync(join(folder, 'began')),
      (there) => there,
      'the job to begin',
    );
    await server.client.cancelWorkflow({ params: { id: 1 } });
    expect((await runner.ended).stderr).toContain('the workflow was canceled');
    expect(said(folder)).toEqual(['worker-complete']);
  });

  it('the actions of a workflow that submit allocations are left to a runner that can, and the log says so once', async () => {
    const { folder, run, server } = await benchOf({
      jobs: [job('only')],
      slurm_schedulers: [{ name: 'sched', account: 'acc', nodes: 1, walltime: '00:10:00' }],
      actions: [
        {
          trigger_type: 'on_jobs_ready',
          jobs: ['only'],
          action_type: 'schedule_nodes',
          scheduler: 'sched',
          scheduler_type: 'slurm',
        },
      ],
    });
    const { code, stderr } = await run().ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('1 job completed')]);
    expect(file(folder, /^job_runner_(?!ledger)/).match(/An action is left to other runners/g)).toHaveLength(1);
    const [action] = await server.client.listWorkflowActions({ params: { id: 1 } });
    expect(action).toMatchObject({ executed: false, trigger_count: 1 });
  });

  it('the actions of a workflow are ended with their runner, and no job begins', async () => {
    const { folder, run } = await benchOf({
      jobs: [job('only')],
      actions: [notes('on_workflow_start', '', { commands: ['touch ../began; sleep 600'] })],
    });
    const runner = run();
    await until(
      () => existsSync(join(folder, 'began')),
      (there) => there,
      'the action to begin',
    );
    runner.child.kill('SIGINT');
    await runner.says('Ending: running jobs');
    runner.child.kill('SIGINT');
    expect((await runner.ended).stderr).toContain('reason=killed: the runner ends');
    expect(said(folder)).toEqual([]);
  });
});

describe('two runners', () => {
  it('two runners carry an action out once, and one for every runner once each', async () => {
    // Each job waits for the other: both runners have to be there.
    const meet = (name: string, other: string) =>
      job(name, { command: `touch ${name}; until test -e ${other}; do sleep 0.02; done` });
    const { folder, run, server } = await benchOf({
      jobs: [meet('a', 'b'), meet('b', 'a'), job('last', { depends_on: ['a', 'b'], command: 'true' })],
      actions: [
        notes('on_workflow_start', 'start'),
        notes('on_worker_start', 'one-worker-start'),
        notes('on_worker_start', 'each-worker-start', { persistent: true }),
        notes('on_jobs_complete', 'jobs', { jobs: ['a', 'b'] }),
        notes('on_workflow_complete', 'end'),
        notes('on_worker_complete', 'each-worker-complete', { persistent: true }),
      ],
    });
    const runners = [run('--max-parallel-jobs', '1'), run('--max-parallel-jobs', '1')];
    for (const { code } of await Promise.all(runners.map((runner) => runner.ended))) expect(code).toBe(0);
    expect(said(folder).toSorted()).toEqual([
      'each-worker-complete',
      'each-worker-complete',
      'each-worker-start',
      'each-worker-start',
      'end',
      'jobs',
      'one-worker-start',
      'start',
    ]);
    const { items } = await server.client.listComputeNodes({ query: { workflow_id: 1 } });
    expect(items).toHaveLength(2);
  });
});

it('a run of its own after a reset has the actions carried out again', async () => {
  const { folder, run, server } = await benchOf({
    jobs: [job('only')],
    actions: [notes('on_workflow_start', 'start'), notes('on_workflow_complete', 'end')],
  });
  await run().ended;
  await torc(['--url', server.url, 'workflows', 'reset-status', '1', '--no-prompts'], { cwd: folder });
  await torc(['--url', server.url, 'workflows', 'init', '1'], { cwd: folder });
  await run().ended;
  expect(said(folder)).toEqual(['start', 'only', 'end', 'start', 'only', 'end']);
});

describe('what went wrong as a trigger', () => {
  const state =
    'echo "$TORC_WORKFLOW_STATE $TORC_JOBS_COMPLETED $TORC_JOBS_FAILED $TORC_JOBS_STOPPED $TORC_JOBS_RUNNING $TORC_JOBS_NOT_RUN|$TORC_FAILED_JOB_NAME|$TORC_FAILURE" >> ../said';

  it('an action of the first failure is carried out once while others run, and knows the job and its cause', async () => {
    const waits = 'until test -e acted; do sleep 0.02; done';
    const { folder, run } = await benchOf({
      jobs: [
        job('bad', { command: 'exit 3' }),
        job('worse', { command: `${waits}; exit 4` }),
        job('fine', { command: waits }),
      ],
      actions: [
        notes('on_first_failure', '', { commands: [state, 'touch ../acted'] }),
        notes('on_workflow_complete', '', { commands: [state] }),
        notes('on_stuck', 'stuck'),
      ],
    });
    expect((await run('--max-parallel-jobs', '3').ended).code).toBe(0);
    const [first, end, ...others] = said(folder);
    expect(first).toMatch(/^running 0 1 0 [12] [01]\|bad\|the command itself ended with 3$/);
    expect(end).toMatch(/^failed 1 2 0 0 0\|bad\|the command itself ended with 3$/);
    expect(others).toEqual([]);
  });

  it('an action of a workflow that nothing runs any more is carried out by the runner that leaves jobs behind', async () => {
    const { folder, run } = await benchOf({
      jobs: [job('fine'), job('wide', { resource_requirements: 'wide' })],
      resource_requirements: [{ name: 'wide', num_cpus: 99, memory: '1m', runtime: 'PT1M' }],
      actions: [
        notes('on_stuck', '', { commands: [state] }),
        notes('on_first_failure', 'failure'),
        notes('on_workflow_complete', 'complete'),
      ],
    });
    await run().ended;
    expect(said(folder)).toEqual(['fine', 'waiting 1 0 0 0 1||']);
  });

  it('neither is carried out in a workflow whose jobs all complete, nor listed as due to a runner of Torc', async () => {
    const { folder, run, server } = await benchOf({
      jobs: [job('fine'), job('next', { depends_on: ['fine'] })],
      actions: [notes('on_stuck', 'stuck'), notes('on_first_failure', 'failure')],
    });
    const due = (trigger: string) =>
      server.client.listPendingActions({ params: { id: 1 }, query: { trigger_type: trigger } });
    for (const trigger of ['on_workflow_start', 'on_jobs_ready', 'on_jobs_complete', 'on_worker_start'])
      expect(await due(trigger)).toEqual([]);
    await run().ended;
    expect(said(folder)).toEqual(['fine', 'next']);
    expect(await due('on_first_failure')).toEqual([]);
    expect(await due('on_stuck')).toEqual([]);
  });
});
