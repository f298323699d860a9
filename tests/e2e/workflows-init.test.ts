import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  folder,
  server,
  id,
  jobs,
  call,
  json,
  refusedJson,
  openTask,
  breakServer,
  startJob,
  finish,
  statuses,
  workflow,
} from '../support/flows/chain.ts';
import { torc } from '../support/programs.ts';

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
    expect(stderr).toContain('jobs are currently running');
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
