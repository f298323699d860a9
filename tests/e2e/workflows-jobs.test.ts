import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Result } from '../../src/core/contract/result.ts';
import { type RunningServer, startServer, temporaryFolder, torc } from '../support/programs.ts';
import { said } from '../support/words.ts';

/** `second` reads what `first` makes; `alone` has nothing to do with them. */
const flow = (folder: string) => `
name: chain
description: two in a row, one alone
jobs:
  - {name: first, command: "true # \${files.input.given} \${files.output.made}", resource_requirements: small}
  - {name: second, command: "true # \${files.input.made}", resource_requirements: small}
  - {name: alone, command: "exit 3", priority: 5, labels: [gpu], failure_handler: again}
files:
  - {name: given, path: ${join(folder, 'given.txt')}}
  - {name: made, path: ${join(folder, 'made.txt')}}
user_data: [{name: told, data: {x: [1, two]}}]
resource_requirements: [{name: small, num_cpus: 2, memory: 4g, runtime: PT30M}]
failure_handlers: [{name: again, rules: [{exit_codes: [3], max_retries: 2}, {match_all_exit_codes: true}]}]
slurm_schedulers: [{name: short, account: abc, walltime: "01:00:00"}]
actions:
  - {trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: short, scheduler_type: slurm, num_allocations: 2}
  - {trigger_type: on_jobs_complete, action_type: run_commands, commands: [echo done], jobs: [first, second]}
`;

let folder: string;
let server: RunningServer;
/** A workflow of its own for each test. */
let id: number;
let jobs: Record<string, number>;

beforeAll(async () => {
  folder = temporaryFolder();
  server = await startServer(folder);
  writeFileSync(join(folder, 'flow.yaml'), flow(folder));
});

beforeEach(async () => {
  writeFileSync(join(folder, 'given.txt'), 'given');
  ({ workflow_id: id } = (await json('create', join(folder, 'flow.yaml'))) as { workflow_id: number });
  const { items } = await server.client.listJobs({ query: { workflow_id: id } });
  jobs = Object.fromEntries(items.map(({ name, id: jobId }) => [name, jobId as number]));
});

const call = (...args: unknown[]) => said(args.map(String), { TORC_API_URL: server.url });

/** The JSON of a command that succeeds. */
async function json(...args: unknown[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await call('-f', 'json', ...args);
  if (code !== 0) throw new Error(`torc ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The JSON of a command that fails and says why. */
async function refusedJson(...args: unknown[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await call('-f', 'json', ...args);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Error: ')]);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A task that is under way for ever: of a server that is busy for long. */
function openTask(): number {
  const database = new DatabaseSync(join(folder, 'server.db'));
  const { lastInsertRowid } = database
    .prepare(
      "insert into async_handle (workflow_id, operation, status, parameters, created_at_ms) values (?, 'initialize_jobs', 'queued', '[]', 1)",
    )
    .run(id);
  database.close();
  return Number(lastInsertRowid);
}

/** Lets the server fail at one change of a job, as a broken disk would, until the test is over. */
function breakServer(at: 'insert' | 'update', when: string): void {
  const change = (sql: string) => {
    const database = new DatabaseSync(join(folder, 'server.db'));
    database.exec(sql);
    database.close();
  };
  change(
    `create trigger broken before ${at} on job when new.workflow_id = ${id} and ${when}
     begin select raise(abort, 'broken on purpose'); end`,
  );
  onTestFinished(() => change('drop trigger broken'));
}

const node = () => ({
  workflow_id: id,
  hostname: 'host',
  pid: 1,
  start_time: '2026-03-01T12:00:00Z',
  is_active: false,
  num_cpus: 8,
  memory_gb: 16,
  num_gpus: 0,
  num_nodes: 1,
  compute_node_type: 'local',
});

/** A runner takes the job and starts it. */
async function startJob(name: string): Promise<number> {
  const { run_id: runId } = await workflow();
  const { id: nodeId } = await server.client.createComputeNode({ body: node() });
  const jobId = jobs[name] as number;
  await server.client.manageStatusChange({ params: { id: jobId, status: 'pending', run_id: runId as number } });
  await server.client.startJob({
    params: { id: jobId, run_id: runId as number, compute_node_id: nodeId as number },
  });
  return nodeId as number;
}

const latestNode = async () =>
  (await server.client.listComputeNodes({ query: { workflow_id: id } })).items.at(-1)?.id as number;

/** A runner takes the job, and it ends with this return code. */
async function finish(name: string, returnCode: number, measured: Partial<Result> = {}): Promise<void> {
  const nodeId = await startJob(name);
  const { run_id: runId } = await workflow();
  const status = returnCode === 0 ? 'completed' : 'failed';
  const jobId = jobs[name] as number;
  await server.client.completeJob({
    params: { id: jobId, status, run_id: runId as number },
    body: {
      job_id: jobId,
      workflow_id: id,
      run_id: runId as number,
      compute_node_id: nodeId,
      return_code: returnCode,
      exec_time_minutes: 1,
      completion_time: '2026-03-01T12:01:00Z',
      status,
      ...measured,
    },
  });
}

const statuses = async () => {
  const { items } = await server.client.listJobs({ query: { workflow_id: id } });
  return Object.fromEntries(items.map(({ name, status }) => [name, status]));
};
const workflow = () => server.client.getWorkflow({ params: { id } });

describe('a record that is not there', () => {
  it.each([
    ['workflows', 'get', 999],
    ['workflows', 'update', 999, '-n', 'x'],
    ['workflows', 'is-complete', 999],
    ['workflows', 'list-actions', 999],
    ['workflows', 'update-action', 999, 1, '--num-allocations', 2],
    ['workflows', 'delete-action', 999, 1],
    ['workflows', 'init', 999],
    ['workflows', 'init', 999, '--dry-run'],
    ['workflows', 'reinit', 999],
    ['workflows', 'reset-status', 999],
    ['workflows', 'check-resources', 999],
    ['workflows', 'correct-resources', 999],
    ['workflows', 'diagnose', 999],
    ['workflows', 'export', 999],
    ['jobs', 'get', 999_999],
    ['jobs', 'running', 999],
    ['jobs', 'create', 999, '-n', 'x', '-c', 'true'],
    ['jobs', 'update', 999_999, '--priority', 1],
    ['jobs', 'delete-all', 999],
    ['jobs', 'reset-status', 999_999],
    ['jobs', 'reset-status', '--status', 'failed', '--workflow-id', 999],
    ['jobs', 'list-resource-requirements', 999],
    ['jobs', 'list-failure-handlers', '-j', 999_999],
  ])(
    'a record that is not there is refused with 404 beside the result, which stays empty: torc %s %s %s',
    async (...words) => {
      const { code, stdout, stderr } = await call('-f', 'json', ...words);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toContain('404');
    },
  );
});

describe('workflows update', () => {
  it('changes what is given and leaves the rest', async () => {
    const changes = ['-n', 'renamed', '--project', 'p', '--metadata', '{"a": 1}'];
    expect(await json('workflows', 'update', id, ...changes)).toMatchObject({
      id,
      name: 'renamed',
      description: 'two in a row, one alone',
      project: 'p',
      metadata: { a: 1 },
      user: 'tester',
    });
    expect(await json('workflows', 'update', id, '--owner-user', 'somebody')).toMatchObject({ user: 'somebody' });
  });

  it.each([
    [[], 'Error: no fields to update. Provide at least one of --name'],
    [['--metadata', '{'], '--metadata is not valid JSON'],
    [['--metadata', '[1]'], '--metadata must be a JSON object'],
  ])('workflows update refuses %j', async (words, why) => {
    const { code, stdout, stderr } = await call('workflows', 'update', id, ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
  });
});

describe('workflows list', () => {
  it('workflows list of an access group has those of everybody, and no others', async () => {
    const group = await server.client.createAccessGroup({ body: { name: `team-${id}` } });
    const { id: theirs } = await server.client.createWorkflow({ body: { name: 'theirs', user: 'somebody' } });
    await server.client.addWorkflowToGroup({ params: { id: theirs as number, group_id: group.id as number } });
    const { items } = await json('workflows', 'list', '-g', `team-${id}`);
    expect(items).toEqual([expect.objectContaining({ id: theirs, user: 'somebody' })]);
    expect((await call('workflows', 'list', '-g', 'nobody')).stdout).toBe(
      'No workflows found for access group: nobody\n',
    );
  });
});

describe('workflows is-complete', () => {
  it('workflows is-complete says no while jobs are left and yes when the workflow was canceled', async () => {
    expect(await json('workflows', 'is-complete', id)).toEqual({ is_canceled: false, is_complete: false });
    await server.client.cancelWorkflow({ params: { id } });
    expect(await json('workflows', 'is-complete', id)).toEqual({ is_canceled: true, is_complete: true });
  });
});

describe('workflows archive', () => {
  it('workflows archive puts workflows away and takes them out again', async () => {
    expect(await json('workflows', 'archive', 'true', id)).toEqual({
      status: 'success',
      is_archived: true,
      updated_workflows: [id],
    });
    expect(await workflow()).toMatchObject({ is_archived: true });
    expect((await call('workflows', 'archive', 'false', id)).stdout).toBe(`Unarchived workflow ${id}\n`);
    expect(await workflow()).toMatchObject({ is_archived: false });
  });

  it('workflows archive does what it can and says what it could not', async () => {
    expect(await refusedJson('workflows', 'archive', 'true', 999, id)).toEqual({
      status: 'partial_success',
      is_archived: true,
      updated_workflows: [id],
      errors: [expect.stringContaining('404')],
    });
    expect(await refusedJson('workflows', 'archive', 'true', 999)).toMatchObject({
      status: 'error',
      updated_workflows: [],
    });
    expect((await call('workflows', 'archive', 'yes', id)).code).toBe(2);
  });

  it('workflows archive keeps a workflow from being initialized', async () => {
    await json('workflows', 'archive', 'true', id);
    const { code, stderr } = await call('workflows', 'init', id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('archived')]);
    expect(await workflow()).toMatchObject({ run_id: 0 });
  });
});

describe('the actions of a workflow', () => {
  const actions = async () => (await json('workflows', 'list-actions', id))['actions'] as Record<string, unknown>[];
  const table = async () => (await call('-f', 'csv', 'workflows', 'list-actions', id)).stdout.trimEnd().split('\n');

  it('the actions of a workflow are listed as they are', async () => {
    expect(await actions()).toEqual([
      expect.objectContaining({ action_type: 'schedule_nodes', trigger_count: 0, executed: false }),
      expect.objectContaining({ action_type: 'run_commands', job_ids: [jobs['first'], jobs['second']] }),
    ]);
  });

  it('the actions of a workflow are listed with how near each is', async () => {
    const body = {
      workflow_id: id,
      trigger_type: 'on_worker_start',
      action_type: 'x',
      action_config: {},
      trigger_count: 1,
    };
    const due = await server.client.createWorkflowAction({ params: { id }, body });
    const [first, second] = (await actions()).map((action) => action['id']);
    expect(await table()).toEqual([
      'ID,Trigger,Action,Allocations,Progress,Status,Executed At,Job IDs',
      `${String(first)},on_workflow_start,schedule_nodes,2,0/1,Waiting,,`,
      `${String(second)},on_jobs_complete,run_commands,,0/2,Waiting,,"${jobs['first']}, ${jobs['second']}"`,
      `${due.id},on_worker_start,x,,1/1,Pending,,`,
    ]);
    await server.client.claimWorkflowAction({ params: { id, action_id: due.id as number }, body: {} });
    expect((await table())[3]).toContain(',Executed,');
  });

  it('the actions of a workflow can be changed where they ask for nodes; options win over --json', async () => {
    const [action] = await actions();
    const words = ['--json', '{"num_allocations": 5, "max_parallel_jobs": 4}', '--num-allocations', 7];
    const changed = await json('workflows', 'update-action', id, action?.['id'], ...words);
    expect(changed['action_config']).toMatchObject({
      num_allocations: 7,
      max_parallel_jobs: 4,
      scheduler_type: 'slurm',
    });
  });

  it.each([
    [0, [], 'Error: no fields to update. Provide at least one of --scheduler-id'],
    [1, ['--num-allocations', 2], 'only supports schedule_nodes'],
    [0, ['--json', '{"color": "red"}'], '422'],
  ])('the actions of a workflow refuse other changes: action %i %j', async (which, words, why) => {
    const action = (await actions())[which];
    const { code, stdout, stderr } = await call('workflows', 'update-action', id, action?.['id'], ...words);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(why);
    expect((await actions())[which]).toEqual(action);
  });

  it('the actions of a workflow can be deleted, once', async () => {
    const [action] = await actions();
    const words = ['workflows', 'delete-action', id, action?.['id']];
    expect(await json(...words)).toEqual({ action_id: action?.['id'], deleted: true, workflow_id: id });
    expect(await actions()).toHaveLength(1);
    const { code, stderr } = await call(...words);
    expect([code, stderr]).toEqual([1, `Error: action ${String(action?.['id'])} was not found in workflow ${id}.\n`]);
  });
});

describe('workflows init', () => {
  const initialized = (words: string) => ({
    status: 'success',
    message: `${words} workflow ${id}`,
    workflow_id: id,
    task_id: expect.any(Number) as number,
    task_status: 'succeeded',
    task_operation: 'initialize_jobs',
    error: null,
  });

  it('workflows init makes jobs ready, waits until the server has done it, and ends', async () => {
    const { code, stdout } = await torc(['-f', 'json', 'workflows', 'init', String(id)], {
      cwd: folder,
      environment: { TORC_API_URL: server.url },
    });
    expect([code, JSON.parse(stdout)]).toEqual([0, initialized('Initialized')]);
    expect(await statuses()).toEqual({ first: 'ready', second: 'blocked', alone: 'ready' });
    expect(await workflow()).toMatchObject({ run_id: 1 });
  });

  it('workflows init with --async says the task and leaves the server to it', async () => {
    expect(await json('workflows', 'init', id, '--async')).toEqual({
      status: 'success',
      message: expect.stringMatching(/by task \d+$/),
      workflow_id: id,
      task_id: expect.any(Number),
      task_status: 'queued',
      task_operation: 'initialize_jobs',
    });
  });

  it('workflows init disturbs no task that is under way: no new run begins', async () => {
    const task = openTask();
    expect(await json('workflows', 'init', id, '--async')).toMatchObject({ task_id: task, task_status: 'queued' });
    expect(await json('workflows', 'reinit', id, '--async')).toMatchObject({ task_id: task });
    expect(await refusedJson('workflows', 'init', id, '--wait-timeout', '0.01')).toMatchObject({
      status: 'error',
      message: `task ${task} has not ended within 0.01 s; the server continues with it`,
      task_id: task,
      task_status: 'queued',
    });
    expect(await workflow()).toMatchObject({ run_id: 0 });
  });

  it('workflows init says why the server could not do it', async () => {
    breakServer('update', 'new.status = 2');
    expect(await refusedJson('workflows', 'init', id)).toEqual({
      status: 'error',
      message: `workflow ${id} was not initialized: broken on purpose`,
      workflow_id: id,
      task_id: expect.any(Number),
      task_status: 'failed',
      task_operation: 'initialize_jobs',
      error: 'broken on purpose',
    });
    expect((await call('workflows', 'init', id)).stdout).toBe('');
  });

  it('workflows init refuses when an input is missing that no job makes, unless it is forced', async () => {
    rmSync(join(folder, 'given.txt'));
    const { code, stdout, stderr } = await call('workflows', 'init', id);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`1 input file must exist and does not, and no job makes it: ${join(folder, 'given.txt')}`);
    expect(await workflow()).toMatchObject({ run_id: 0 });
    expect((await call('workflows', 'init', id, '--force')).code).toBe(0);
    expect(await workflow()).toMatchObject({ run_id: 1 });
  });

  it('workflows init with --dry-run only says what is missing and what would be overwritten', async () => {
    const report = {
      workflow_id: id,
      safe: true,
      missing_input_files: [],
      missing_input_file_count: 0,
      existing_output_files: [],
      existing_output_file_count: 0,
    };
    expect(await json('workflows', 'init', id, '--dry-run')).toEqual(report);
    rmSync(join(folder, 'given.txt'));
    writeFileSync(join(folder, 'made.txt'), 'made before');
    const { code, stdout } = await call('-f', 'json', 'workflows', 'reinit', id, '--dry-run');
    rmSync(join(folder, 'made.txt'));
    expect([code, JSON.parse(stdout)]).toEqual([
      1,
      {
        ...report,
        safe: false,
        missing_input_files: [join(folder, 'given.txt')],
        missing_input_file_count: 1,
        existing_output_files: [join(folder, 'made.txt')],
        existing_output_file_count: 1,
        jobs: expect.any(Array),
        job_count: expect.any(Number),
        canceled_jobs: [],
        failed_jobs: [],
      },
    ]);
    expect(await workflow()).toMatchObject({ run_id: 0 });
  });

  it('workflows init is refused while user data has no value and no job makes it, forced or not', async () => {
    await server.client.createUserData({
      query: { consumer_job_id: jobs['alone'] },
      body: { workflow_id: id, name: 'empty' },
    });
    const { code, stderr } = await call('workflows', 'init', id, '--force');
    expect([code, stderr]).toEqual([1, expect.stringContaining('user data without a value')]);
    const dry = await call('-f', 'json', 'workflows', 'init', id, '--dry-run');
    expect([dry.code, JSON.parse(dry.stdout)]).toEqual([
      1,
      expect.objectContaining({ safe: false, missing_user_data: [expect.any(Number)] }),
    ]);
  });

  it('workflows init again touches only what changed, as reinit', async () => {
    await json('workflows', 'init', id);
    await finish('first', 0);
    writeFileSync(join(folder, 'made.txt'), 'made');
    expect(await json('workflows', 'reinit', id)).toEqual(initialized('Reinitialized'));
    expect(await statuses()).toMatchObject({ first: 'completed', second: 'ready' });
    rmSync(join(folder, 'made.txt'));
    await json('workflows', 'reinit', id);
    expect(await statuses()).toMatchObject({ first: 'ready', second: 'blocked' });
    expect(await workflow()).toMatchObject({ run_id: 3 });
  });
});

describe('workflows reset-status', () => {
  it('workflows reset-status begins a new run with every job uninitialized', async () => {
    await json('workflows', 'init', id);
    expect(await json('workflows', 'reset-status', id)).toEqual({
      status: 'success',
      workflow_id: id,
      failed_only: false,
      operations: { workflow_reset: true, job_reset: true, reinitialize: false },
      messages: [`Reset 3 jobs of workflow ${id}`],
    });
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['uninitialized']));
    expect(await workflow()).toMatchObject({ run_id: 2 });
  });

  it('workflows reset-status of the failed jobs alone leaves the others, and makes them ready where that is asked for', async () => {
    await json('workflows', 'init', id);
    await finish('first', 0);
    await finish('alone', 3);
    writeFileSync(join(folder, 'made.txt'), 'made');
    expect(await json('workflows', 'reset-status', id, '--failed-only', '-r')).toMatchObject({
      operations: { workflow_reset: true, job_reset: true, reinitialize: true },
      messages: [`Reset 1 job of workflow ${id}`, `Reinitialized workflow ${id}`],
    });
    rmSync(join(folder, 'made.txt'));
    expect(await statuses()).toEqual({ first: 'completed', second: 'ready', alone: 'ready' });
  });

  it('workflows reset-status is refused while jobs run, unless it is forced', async () => {
    await json('workflows', 'init', id);
    await startJob('first');
    const { code, stdout, stderr } = await call('workflows', 'reset-status', id, '--no-prompts');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('422');
    expect(await statuses()).toMatchObject({ first: 'running' });
    expect((await call('workflows', 'reset-status', id, '--force', '--no-prompts')).code).toBe(0);
  });

  it('workflows reset-status says what it did when it could not make the jobs ready', async () => {
    await json('workflows', 'init', id);
    rmSync(join(folder, 'given.txt'));
    expect(await refusedJson('workflows', 'reset-status', id, '-r')).toMatchObject({
      status: 'error',
      operations: { workflow_reset: true, job_reset: true, reinitialize: false },
      messages: [`Reset 3 jobs of workflow ${id}`],
      errors: [expect.stringContaining('given.txt')],
    });
  });
});

describe('jobs create', () => {
  it('jobs create adds a job with what it needs, waits for, reads and writes', async () => {
    const { items } = await server.client.listFiles({ query: { workflow_id: id } });
    const [given, made] = items.map((file) => file.id as number);
    const words = ['-n', 'last', '-c', 'echo hi', '-b', jobs['first'], jobs['alone'], '-i', given, '-o', made];
    const created = await json('jobs', 'create', id, ...words);
    expect(await json('jobs', 'get', created['id'])).toMatchObject({
      name: 'last',
      command: 'echo hi',
      status: 'uninitialized',
      depends_on_job_ids: [jobs['first'], jobs['alone']],
      input_file_ids: [given],
      output_file_ids: [made],
    });
  });

  it('jobs create takes --blocking-job-ids, the name of the original, for what it waits for', async () => {
    const words = ['-n', 'last', '-c', 'true', '--blocking-job-ids', jobs['first'], '-b', jobs['alone'], jobs['first']];
    const created = await json('jobs', 'create', id, ...words);
    expect(await json('jobs', 'get', created['id'])).toMatchObject({
      depends_on_job_ids: [jobs['first'], jobs['alone']],
    });
  });

  it('jobs create is refused without a command, and when it waits for a job that is not there', async () => {
    expect((await call('jobs', 'create', id, '-n', 'last')).code).toBe(2);
    const { code, stdout, stderr } = await call('jobs', 'create', id, '-n', 'x', '-c', 'true', '-b', 999_999);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('422')]);
  });
});

describe('jobs create-from-file', () => {
  const file = () => join(folder, 'commands.txt');

  it('jobs create-from-file adds a job for each line, named on from those that are there, all with the same needs', async () => {
    writeFileSync(file(), 'echo one\n# not this\n\n  echo two\n');
    const needs = ['--cpus-per-job', 4, '--memory-per-job', '2g', '--runtime-per-job', 'PT5M'];
    expect(await json('jobs', 'create-from-file', id, file(), ...needs)).toEqual({
      status: 'success',
      message: `Created 2 jobs in workflow ${id}`,
      workflow_id: id,
      jobs_created: 2,
    });
    const rows = (await json('jobs', 'list-resource-requirements', id)) as unknown as Record<string, unknown>[];
    const added = rows.slice(3);
    expect(added.map((row) => row['job_name'])).toEqual(['job4', 'job5']);
    expect(added[0]).toMatchObject({ num_cpus: 4, memory: '2g', runtime: 'PT5M' });
    expect(added[0]?.['rr_name']).toMatch(/^batch_jobs_req_\d+$/);
    expect(added[1]?.['rr_id']).toBe(added[0]?.['rr_id']);
  });

  it.each([
    ['with a number', () => ['--batch', 2, id, file()]],
    ['with a number behind', () => [id, file(), '--batch', 2]],
    ['without a number, before the arguments', () => ['--batch', id, file()]],
    ['without a number, between them', () => [id, '--batch', file()]],
    ['without a number, behind them', () => [id, file(), '--batch']],
  ])('jobs create-from-file takes --batch %s, and adds every job', async (_, words) => {
    writeFileSync(file(), 'true\n'.repeat(5));
    expect(await json('jobs', 'create-from-file', ...words())).toMatchObject({ workflow_id: id, jobs_created: 5 });
    expect(Object.keys(await statuses())).toHaveLength(8);
  });

  it('jobs create-from-file takes every job back when a batch is refused', async () => {
    breakServer('insert', "new.name = 'job8'");
    writeFileSync(file(), 'true\n'.repeat(5));
    expect((await call('jobs', 'create-from-file', id, file(), '--batch', 2)).code).toBe(1);
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it.each([
    ['no file', () => [id], "missing required argument 'file'"],
    [
      'a size of batches that is none',
      () => [id, file(), '--batch', 'many'],
      '--batch: expected a whole number, found "many"',
    ],
    ['batches of nothing', () => [id, file(), '--batch', 0], '--batch: expected 1 or more, found 0'],
  ])('jobs create-from-file is refused with %s', async (_, words, why) => {
    writeFileSync(file(), 'true\n');
    const { code, stderr } = await call('jobs', 'create-from-file', ...words());
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)]);
  });

  it.each([
    ['a file without commands', '# nothing\n', [], 'has no commands'],
    ['needs that nobody can read', 'true\n', ['--memory-per-job', '2gb'], "Invalid memory format '2gb'"],
  ])('jobs create-from-file adds nothing of %s', async (_, text, words, why) => {
    writeFileSync(file(), text);
    const { code, stdout, stderr } = await call('jobs', 'create-from-file', id, file(), ...words);
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it('jobs create-from-file adds nothing when the server breaks in the middle', async () => {
    breakServer('insert', "new.name = 'job1500'");
    writeFileSync(file(), 'true\n'.repeat(1600));
    const { code, stdout } = await call('jobs', 'create-from-file', id, file());
    expect([code, stdout]).toEqual([1, '']);
    expect(Object.keys(await statuses())).toHaveLength(3);
    const { items } = await server.client.listResourceRequirements({ query: { workflow_id: id } });
    expect(items.map(({ name }) => name)).toEqual(['default', 'small']);
  });

  it('jobs create-from-file says which file is not there', async () => {
    const { code, stderr } = await call('jobs', 'create-from-file', id, join(folder, 'nothing.txt'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing.txt: there is no such file')]);
  });
});

describe('jobs spawn', () => {
  it('jobs spawn keeps no state where --state null is given, whatever the file says', async () => {
    await json('workflows', 'init', id);
    await startJob('first');
    const file = join(folder, 'spawned.json');
    const request = { jobs: [{ name: 'a', command: 'true' }], lineage: 'l', state: { at: 1 } };
    const states = async () => {
      const query = { workflow_id: id, name: '__torc_lineage__l__' };
      const { items } = await server.client.listUserData({ query });
      return items.map(({ data }) => (data as { state: unknown }).state);
    };
    const spawn = (name: string, ...words: string[]) => {
      writeFileSync(file, JSON.stringify({ ...request, jobs: [{ name, command: 'true' }] }));
      return json('jobs', 'spawn', file, '-j', jobs['first'], ...words);
    };
    await spawn('a', '--state', 'null');
    await spawn('b', '--state', '""');
    await spawn('c');
    expect(await states()).toEqual([null, '', { at: 1 }]);
  });
});

describe('jobs update', () => {
  it('changes what is given; labels are replaced, or cleared', async () => {
    expect(
      await json('jobs', 'update', jobs['alone'], '-c', 'exit 4', '--priority', 9, '--label', 'b,a'),
    ).toMatchObject({
      id: jobs['alone'],
      name: 'alone',
      command: 'exit 4',
      priority: 9,
      labels: ['a', 'b'],
    });
    expect(await json('jobs', 'update', jobs['alone'], '--clear-labels')).not.toHaveProperty('labels');
  });

  it('jobs update with --runtime changes the needs of this job and of no other', async () => {
    const runtimes = async () =>
      (
        (await json('jobs', 'list-resource-requirements', id)) as unknown as { job_name: string; runtime: string }[]
      ).map(({ job_name: name, runtime }) => [name, runtime]);
    const { resource_requirements_id: shared } = await json('jobs', 'get', jobs['first']);
    const changed = await json('jobs', 'update', jobs['first'], '--runtime', 'PT2H');
    expect(changed['resource_requirements_id']).not.toBe(shared);
    // Now its own, so they are changed where they are.
    expect(await json('jobs', 'update', jobs['first'], '--runtime', 'PT3H')).toEqual(changed);
    expect(await runtimes()).toEqual([
      ['first', 'PT3H'],
      ['second', 'PT30M'],
      ['alone', expect.any(String)],
    ]);
  });

  it.each([
    [[], 1, 'no fields to update. Provide at least one of --name'],
    [['--label', 'a', '--clear-labels'], 2, 'cannot be used together'],
    [['--runtime', 'soon'], 1, "Invalid runtime format 'soon'"],
    [['--priority', '-1'], 2, '--priority: expected 0 or more'],
  ])('jobs update refuses %j', async (words, expected, why) => {
    const before = await json('jobs', 'get', jobs['alone']);
    const { code, stdout, stderr } = await call('jobs', 'update', jobs['alone'], ...words);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringContaining(why)]);
    expect(await json('jobs', 'get', jobs['alone'])).toEqual(before);
  });

  it('jobs update refuses another command once the job is initialized', async () => {
    await json('workflows', 'init', id);
    const { code, stderr } = await call('jobs', 'update', jobs['alone'], '-c', 'true');
    expect([code, stderr]).toEqual([1, expect.stringContaining('422')]);
  });
});

describe('jobs delete', () => {
  it('jobs delete deletes the jobs that are named', async () => {
    const { items } = await json('jobs', 'delete', jobs['alone'], jobs['second'], jobs['alone']);
    expect((items as { name: string }[]).map(({ name }) => name)).toEqual(['alone', 'second']);
    expect(Object.keys(await statuses())).toEqual(['first']);
  });

  it('jobs delete deletes none when one of them is not there', async () => {
    expect(await refusedJson('jobs', 'delete', jobs['alone'], 999_999)).toEqual({
      error: expect.stringContaining('404'),
      missing_ids: [999_999],
    });
    expect(Object.keys(await statuses())).toHaveLength(3);
  });

  it('jobs delete of all says how many, and then that there are none', async () => {
    expect(await json('jobs', 'delete-all', id)).toEqual({ count: 3 });
    expect(await json('jobs', 'delete-all', id)).toEqual({
      deleted: 0,
      message: `No jobs found for workflow ID: ${id}`,
    });
  });
});

describe('jobs running', () => {
  it('jobs running lists a job that runs with its node, and none when none runs', async () => {
    await json('workflows', 'init', id);
    expect((await call('jobs', 'running', id)).stdout).toBe(`No running jobs found for workflow ID: ${id}\n`);
    await startJob('first');
    expect(await json('jobs', 'running', id)).toEqual({
      items: [
        {
          job_id: jobs['first'],
          job_name: 'first',
          compute_node_name: 'host',
          scheduler_type: 'local',
          start_time: expect.any(String),
        },
      ],
    });
    expect((await call('-f', 'csv', 'jobs', 'running', id)).stdout.split('\n')[0]).toBe(
      'Job ID,Job Name,Compute Node,Elapsed,Scheduler,Scheduler Job ID',
    );
  });
});

describe('jobs reset-status', () => {
  const told = (name: string, status: string) => ({ job_id: jobs[name], name, status });

  beforeEach(async () => {
    await json('workflows', 'init', id);
    await finish('first', 0);
    await finish('second', 0);
    await finish('alone', 3);
  });

  it('jobs reset-status resets the jobs that are named, and says what else a reinit will run again', async () => {
    const { code, stdout, stderr } = await call('-f', 'json', 'jobs', 'reset-status', jobs['first']);
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      {
        status: 'success',
        workflow_id: id,
        reset_count: 1,
        requested_job_ids: [jobs['first']],
        reset_job_ids: [jobs['first']],
        downstream_jobs: [told('second', 'completed')],
        failures: [],
        next_steps: [`torc workflows reinit ${id}`, `torc run ${id}`],
        reinit: { requested: false, applied: false, error: null },
      },
    ]);
    expect(stderr).toContain(`job ${jobs['first']} (first) completed successfully and will run again`);
    expect(await statuses()).toMatchObject({ first: 'uninitialized', alone: 'failed' });
  });

  it.each([
    ['by status', ['--status', 'failed,canceled'], ['alone']],
    [
      'by several statuses, each in an option',
      ['--status', 'completed', '--status', 'failed'],
      ['first', 'second', 'alone'],
    ],
    ['by return code', ['--return-code', 0], ['first', 'second']],
  ])('jobs reset-status finds jobs %s', async (_, words, names) => {
    const { reset_job_ids: reset } = await json('jobs', 'reset-status', ...words, '--workflow-id', id);
    expect(reset).toEqual(names.map((name) => jobs[name]));
  });

  it('jobs reset-status goes on behind a job that could not be reset, and says which', async () => {
    breakServer('update', `new.id = ${jobs['second']}`);
    const words = ['jobs', 'reset-status', jobs['first'], jobs['second'], jobs['alone']];
    expect(await refusedJson(...words)).toMatchObject({
      status: 'partial_failure',
      reset_count: 1,
      requested_job_ids: [jobs['first'], jobs['second'], jobs['alone']],
      reset_job_ids: [jobs['alone']],
      failures: [
        // It ended well, so its completed dependent would have been reset with it.
        { job_id: jobs['first'], error: expect.any(String) },
        { job_id: jobs['second'], error: expect.any(String) },
      ],
    });
    expect(await statuses()).toEqual({ first: 'completed', second: 'completed', alone: 'uninitialized' });
  });

  it('jobs reset-status with --dry-run changes nothing', async () => {
    expect(await json('jobs', 'reset-status', jobs['first'], '--dry-run', '--reinit')).toEqual({
      dry_run: true,
      reinit_requested: true,
      workflow_id: id,
      jobs: [told('first', 'completed')],
      downstream_jobs: [told('second', 'completed')],
    });
    expect(await statuses()).toEqual({ first: 'completed', second: 'completed', alone: 'failed' });
  });

  it('jobs reset-status with --reinit makes them ready with what is downstream', async () => {
    writeFileSync(join(folder, 'made.txt'), 'made');
    expect(await json('jobs', 'reset-status', jobs['first'], '--reinit')).toMatchObject({
      next_steps: [`torc run ${id}`],
      reinit: { requested: true, applied: true, error: null },
    });
    rmSync(join(folder, 'made.txt'));
    expect(await statuses()).toEqual({ first: 'ready', second: 'blocked', alone: 'failed' });
  });

  it('jobs reset-status says when the reinit behind it was refused', async () => {
    rmSync(join(folder, 'given.txt'));
    expect(await refusedJson('jobs', 'reset-status', jobs['alone'], '--reinit')).toMatchObject({
      status: 'partial_failure',
      reset_job_ids: [jobs['alone']],
      reinit: { requested: true, applied: false, error: expect.stringContaining('given.txt') },
    });
  });

  it.each([
    ['ids and a status', () => [jobs['first'], '--status', 'failed'], 'one of the three'],
    ['a status of no workflow', () => ['--status', 'failed'], 'need --workflow-id'],
    [
      'a status that is none behind one that is',
      () => ['--status', 'failed', '--status', 'lost', '--workflow-id', id],
      'no such status "lost"',
    ],
  ])('jobs reset-status is a usage error with %s, and resets nothing', async (_, words, why) => {
    const { code, stdout, stderr } = await call('jobs', 'reset-status', ...words(), '--no-prompts');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
    expect(await statuses()).toEqual({ first: 'completed', second: 'completed', alone: 'failed' });
  });

  it('jobs reset-status of a filter that nothing matches is an error', async () => {
    expect(await refusedJson('jobs', 'reset-status', '--return-code', 99, '--workflow-id', id)).toEqual({
      status: 'error',
      workflow_id: id,
      reset_count: 0,
      reset_job_ids: [],
      error: `no jobs of workflow ${id} match; nothing was reset`,
    });
  });

  it('jobs reset-status is refused while a runner is active, unless it is forced', async () => {
    await server.client.updateComputeNode({ params: { id: await latestNode() }, body: { is_active: true } });
    const { code, stdout, stderr } = await call('jobs', 'reset-status', jobs['alone'], '--no-prompts');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(`workflow ${id} is busy: 1 runner is active; nothing was reset`);
    expect(await statuses()).toMatchObject({ alone: 'failed' });
    expect((await call('jobs', 'reset-status', jobs['alone'], '--force', '--no-prompts')).code).toBe(0);
  });

  it('jobs reset-status takes jobs of one workflow only', async () => {
    const other = await server.client.createWorkflow({ body: { name: 'other', user: 'tester' } });
    const body = { workflow_id: other.id as number, name: 'x', command: 'true' };
    const { id: foreign } = await server.client.createJob({ body });
    const { code, stderr } = await call('jobs', 'reset-status', jobs['alone'], foreign);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`job ${foreign}: belongs to workflow ${other.id}, not ${id}`),
    ]);
    expect(await statuses()).toMatchObject({ alone: 'failed' });
  });

  it.each([
    [[], 'one of the three'],
    [['1', '--status', 'failed'], 'one of the three'],
    [['--status', 'failed'], 'need --workflow-id'],
    [['--status', 'broken', '--workflow-id', '1'], 'no such status "broken"'],
  ])('jobs reset-status is a usage error with %j', async (words, why) => {
    const { code, stdout, stderr } = await call('jobs', 'reset-status', ...words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
  });
});

describe('what jobs need and what happens when they fail', () => {
  it('what jobs need and what happens when they fail is a bare list as JSON, of all jobs or of one', async () => {
    const rows = (await json('jobs', 'list-resource-requirements', id)) as unknown as Record<string, unknown>[];
    expect(rows.map((row) => [row['job_name'], row['rr_name']])).toEqual([
      ['first', 'small'],
      ['second', 'small'],
      ['alone', 'default'],
    ]);
    expect(await json('jobs', 'list-resource-requirements', '-j', jobs['first'])).toEqual([
      {
        job_id: jobs['first'],
        job_name: 'first',
        workflow_id: id,
        rr_id: expect.any(Number),
        rr_name: 'small',
        num_cpus: 2,
        num_gpus: 0,
        num_nodes: 1,
        memory: '4g',
        runtime: 'PT30M',
      },
    ]);
  });

  it('what jobs need and what happens when they fail names only jobs that have a failure handler, with its rules in words', async () => {
    expect(await json('jobs', 'list-failure-handlers', id)).toEqual([
      {
        job_id: jobs['alone'],
        job_name: 'alone',
        workflow_id: id,
        fh_id: expect.any(Number),
        fh_name: 'again',
        rules: expect.stringContaining('"exit_codes":[3]'),
      },
    ]);
    expect((await call('-f', 'csv', 'jobs', 'list-failure-handlers', id)).stdout).toContain(
      'again,exit 3: 2 attempts; any exit code: 3 attempts',
    );
    expect(await json('jobs', 'list-failure-handlers', '-j', jobs['first'])).toEqual([]);
  });
});

describe('workflows check-resources', () => {
  beforeEach(async () => {
    await json('workflows', 'init', id);
    await finish('first', 0, { peak_memory_bytes: 6 * 2 ** 30, peak_cpu_percent: 350, exec_time_minutes: 15 });
    await finish('second', 1, { peak_memory_bytes: 5 * 2 ** 30, exec_time_minutes: 29 });
  });
  const over = (resource: string, specified: string, used: string, how: string, name = 'first') => ({
    job_id: jobs[name],
    job_name: name,
    resource_type: resource,
    specified,
    peak_used: used,
    over_utilization: how,
  });

  it('workflows check-resources says what was used beyond what was asked for, of jobs that succeeded', async () => {
    expect(await json('workflows', 'check-resources', id)).toEqual({
      workflow_id: id,
      total_results: 1,
      over_utilization_count: 2,
      violations: [over('Memory', '4g', '6.0 GB', '+50.0%'), over('CPU', '200%', '350.0%', '+75.0%')],
    });
    expect((await call('-f', 'csv', 'workflows', 'check-resources', id)).stdout).toBe(
      [
        'Job ID,Job Name,Resource,Specified,Peak Used,Utilization',
        `${jobs['first']},first,Memory,4g,6.0 GB,+50.0%`,
        `${jobs['first']},first,CPU,200%,350.0%,+75.0%`,
        '',
      ].join('\n'),
    );
  });

  it('workflows check-resources leaves out what is hardly more, and with --all shows what had room', async () => {
    expect(await json('workflows', 'check-resources', id, '--all', '--min-over-utilization', 60)).toMatchObject({
      violations: [over('CPU', '200%', '350.0%', '+75.0%')],
      within_limits: [over('Memory', '4g', '6.0 GB', '+50.0%'), over('Runtime', 'PT30M', '15m 00s', '-50.0%')],
    });
  });

  it('workflows check-resources of jobs that failed says what they probably lacked, where that is asked for', async () => {
    const found = await json('workflows', 'check-resources', id, '--include-failed');
    expect(found).toMatchObject({ total_results: 2, over_utilization_count: 3, resource_violations_count: 1 });
    expect(found['resource_violations']).toEqual([
      {
        job_id: jobs['second'],
        job_name: 'second',
        return_code: 1,
        exec_time_minutes: 29,
        configured_memory: '4g',
        configured_runtime: 'PT30M',
        configured_cpus: 2,
        peak_memory_bytes: 5 * 2 ** 30,
        peak_memory_formatted: '5.0 GB',
        memory_violation: true,
        memory_reason: 'memory_exceeded',
        memory_over_utilization: '+25.0%',
        timeout: true,
        runtime_utilization: '96.7%',
      },
    ]);
  });

  it('workflows check-resources of another run looks at the results of that run', async () => {
    await json('workflows', 'init', id);
    expect(await json('workflows', 'check-resources', id)).toMatchObject({ total_results: 0, violations: [] });
    expect((await call('workflows', 'check-resources', id)).stdout).toMatch(/^No job of workflow \d+ used more/);
    expect(await json('workflows', 'check-resources', id, '-r', 1)).toMatchObject({
      run_id: 1,
      over_utilization_count: 2,
    });
  });
});

describe('workflows correct-resources', () => {
  const needs = async () => {
    const { items } = await server.client.listResourceRequirements({ query: { workflow_id: id, name: 'small' } });
    return items[0];
  };
  const report = (more: object) => ({
    status: 'success',
    workflow_id: id,
    dry_run: false,
    no_downsize: false,
    memory_multiplier: 1.2,
    cpu_multiplier: 1.2,
    runtime_multiplier: 1.2,
    resource_requirements_updated: 0,
    jobs_analyzed: 2,
    memory_corrections: 0,
    cpu_corrections: 0,
    runtime_corrections: 0,
    downsize_memory_corrections: 0,
    downsize_cpu_corrections: 0,
    downsize_runtime_corrections: 0,
    adjustments: [],
    ...more,
  });
  const small = (more: object) => ({
    resource_requirements_id: expect.any(Number),
    resource_requirements_name: 'small',
    memory_adjusted: false,
    cpu_adjusted: false,
    runtime_adjusted: false,
    ...more,
  });

  beforeEach(() => json('workflows', 'init', id));

  it('workflows correct-resources asks for more where a job lacked something; a dry run only says so', async () => {
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30, peak_cpu_percent: 100, exec_time_minutes: 45 });
    await finish('second', 0);
    const grown = report({
      resource_requirements_updated: 1,
      memory_corrections: 1,
      runtime_corrections: 1,
      adjustments: [
        small({
          direction: 'upscale',
          job_ids: [jobs['first']],
          job_names: ['first'],
          memory_adjusted: true,
          original_memory: '4g',
          new_memory: '6g',
          runtime_adjusted: true,
          original_runtime: 'PT30M',
          new_runtime: 'PT54M',
        }),
      ],
    });
    const before = await needs();
    expect(await json('workflows', 'correct-resources', id, '--dry-run')).toEqual({ ...grown, dry_run: true });
    expect(await needs()).toEqual(before);
    expect(await json('workflows', 'correct-resources', id)).toEqual(grown);
    expect(await needs()).toEqual({ ...before, memory: '6g', runtime: 'PT54M' });
  });

  it('workflows correct-resources asks for less where much was left, unless that is not wanted', async () => {
    for (const name of ['first', 'second'])
      await finish(name, 0, { peak_memory_bytes: 2 ** 30, peak_cpu_percent: 50, exec_time_minutes: 29 });
    expect(await json('workflows', 'correct-resources', id, '--no-downsize')).toEqual(report({ no_downsize: true }));
    expect(await json('workflows', 'correct-resources', id, '--memory-multiplier', '1.5')).toEqual(
      report({
        memory_multiplier: 1.5,
        resource_requirements_updated: 1,
        downsize_memory_corrections: 2,
        downsize_cpu_corrections: 2,
        adjustments: [
          small({
            direction: 'downscale',
            job_ids: [jobs['first'], jobs['second']],
            job_names: ['first', 'second'],
            memory_adjusted: true,
            original_memory: '4g',
            new_memory: '2g',
            cpu_adjusted: true,
            original_cpus: 2,
            new_cpus: 1,
          }),
        ],
      }),
    );
    expect(await needs()).toMatchObject({ memory: '2g', num_cpus: 1, runtime: 'PT30M', num_nodes: 1 });
  });

  it('workflows correct-resources looks at chosen jobs only, and refuses ids of others', async () => {
    await finish('first', 0, { peak_memory_bytes: 5 * 2 ** 30 });
    await finish('alone', 3, { exec_time_minutes: 0.1 });
    expect(await json('workflows', 'correct-resources', id, '--job-ids', jobs['alone'])).toEqual(
      report({ jobs_analyzed: 1 }),
    );
    const { code, stdout, stderr } = await call('workflows', 'correct-resources', id, '--job-ids', '999999');
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(`workflow ${id} has no job 999999`)]);
    expect((await call('workflows', 'correct-resources', id, '--cpu-multiplier', '0')).code).toBe(2);
  });
});

describe('workflows diagnose', () => {
  it('workflows diagnose counts ready jobs that are longer than any runner has time for', async () => {
    await json('workflows', 'init', id);
    const end = new Date(Date.now() + 600_000).toISOString();
    await server.client.createComputeNode({ body: { ...node(), is_active: true, end_time: end } });
    const found = await json('workflows', 'diagnose', id);
    expect(found).toEqual({
      workflow_id: id,
      active_allocations: 1,
      allocations_with_walltime: 1,
      allocations_unlimited: 0,
      has_unlimited_allocation: false,
      ready_jobs: 2,
      ready_jobs_with_runtime: 2,
      allocation_remaining: {
        count: 1,
        min_seconds: expect.any(Number),
        median_seconds: expect.any(Number),
        max_seconds: expect.any(Number),
      },
      ready_job_runtime: { count: 2, min_seconds: 60, median_seconds: 930, max_seconds: 1800 },
      runtime_blocked_jobs: 1,
      allocations_too_short_for_longest: 1,
      runtime_blocked: true,
    });
    expect((await call('workflows', 'diagnose', id)).stdout).toContain('1 ready job is longer than the remaining time');
    await server.client.createComputeNode({ body: { ...node(), is_active: true } });
    expect(await json('workflows', 'diagnose', id)).toMatchObject({
      has_unlimited_allocation: true,
      runtime_blocked_jobs: 0,
      runtime_blocked: false,
    });
  });
});

describe('workflows export and import', () => {
  const copyOf = async (copy: unknown) =>
    (await json('jobs', 'list', copy, '--include-relationships'))['items'] as Record<string, unknown>[];

  it('workflows export and import carry a workflow over through a file', async () => {
    const path = join(folder, 'exported.json');
    await json('workflows', 'init', id);
    await finish('first', 0);
    expect(await json('workflows', 'export', id, '-o', path, '--include-results', '--include-events')).toEqual({
      success: true,
      workflow_id: id,
      workflow_name: 'chain',
      output_file: path,
      jobs: 3,
      files: 2,
      user_data: 1,
      results: 1,
      events: 2,
    });
    const { workflow_id: copy, ...told } = await json('workflows', 'import', path, '--name', 'copied');
    expect(told).toEqual({
      success: true,
      workflow_name: 'copied',
      jobs: 3,
      files: 2,
      user_data: 1,
      results: 1,
      compute_nodes: 1,
    });
    expect(copy).not.toBe(id);
    expect(await json('workflows', 'get', copy)).toMatchObject({ name: 'copied', user: 'tester' });
    expect((await copyOf(copy)).map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['first', 'uninitialized'],
        ['second', 'uninitialized'],
        ['alone', 'uninitialized'],
      ]),
    );
    expect(await json('workflows', 'import', path, '--skip-results', '--skip-events')).toMatchObject({
      workflow_name: 'chain',
      results: 0,
      compute_nodes: 0,
    });
  });

  it('workflows export and import carry it over through a pipe, as the programs', async () => {
    const options = { cwd: folder, environment: { TORC_API_URL: server.url } };
    const { stdout } = await torc(['workflows', 'export', String(id)], options);
    expect(JSON.parse(stdout)).toMatchObject({
      export_version: '1.0',
      exported_at: expect.any(String),
      workflow: { id, name: 'chain' },
      jobs: [{ name: 'first' }, { name: 'second' }, { name: 'alone' }],
    });
    const { code, stdout: said } = await torc(['workflows', 'import', '-'], { ...options, input: stdout });
    expect([code, said]).toEqual([
      0,
      expect.stringMatching(/^Imported workflow \d+ \(chain\): 3 jobs, 2 files, 1 user data\n$/),
    ]);
  });

  it('workflows export and import refuse what is no export, and leave nothing of a file that cannot be written', async () => {
    const before = (await server.client.listWorkflows({ query: {} })).total_count;
    for (const [path, why] of [
      [join(folder, 'flow.yaml'), 'is not JSON'],
      [join(folder, 'nothing.json'), 'there is no such file'],
    ] as const) {
      const { code, stdout, stderr } = await call('workflows', 'import', path);
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(why)]);
    }
    expect((await server.client.listWorkflows({ query: {} })).total_count).toBe(before);
    const unwritable = await call('workflows', 'export', id, '-o', join(folder, 'no-folder', 'x.json'));
    expect([unwritable.code, unwritable.stderr]).toEqual([1, expect.stringContaining('cannot write')]);
    const broken = join(folder, 'broken.json');
    expect((await call('workflows', 'export', 999, '-o', broken)).code).toBe(1);
    expect([existsSync(broken), existsSync(`${broken}.part`)]).toEqual([false, false]);
  });
});
