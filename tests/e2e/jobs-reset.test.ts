import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  folder,
  server,
  id,
  jobs,
  call,
  json,
  refusedJson,
  breakServer,
  latestNode,
  finish,
  statuses,
} from '../support/flows/chain.ts';

describe('jobs reset-status', () => {
  const reported = (name: string, status: string) => ({ job_id: jobs[name], name, status });

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
        downstream_jobs: [reported('second', 'completed')],
        failures: [],
        next_steps: [`torc workflows reinit ${id}`, `torc submit ${id}`],
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

  it.each(['--reinit', '--reinitialize'])('jobs reset-status with --dry-run %s changes nothing', async (reinit) => {
    expect(await json('jobs', 'reset-status', jobs['first'], '--dry-run', reinit)).toEqual({
      dry_run: true,
      reinit_requested: true,
      workflow_id: id,
      jobs: [reported('first', 'completed')],
      downstream_jobs: [reported('second', 'completed')],
    });
    expect(await statuses()).toEqual({ first: 'completed', second: 'completed', alone: 'failed' });
  });

  it('jobs reset-status with --reinit makes them ready with what is downstream', async () => {
    writeFileSync(join(folder, 'made.txt'), 'made');
    expect(await json('jobs', 'reset-status', jobs['first'], '--reinit')).toMatchObject({
      next_steps: [`torc submit ${id}`],
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
    ['a status of no workflow', () => ['--status', 'failed'], 'needs --workflow-id'],
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
    const body = { workflow_id: other.id, name: 'x', command: 'true' };
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
    [['--status', 'failed'], 'needs --workflow-id'],
    [['--status', 'broken', '--workflow-id', '1'], 'no such status "broken"'],
  ])('jobs reset-status is a usage error with %j', async (words, why) => {
    const { code, stdout, stderr } = await call('jobs', 'reset-status', ...words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(why)]);
  });
});
