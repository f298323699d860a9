import { beforeEach, describe, expect, it } from 'vitest';
import {
  ended,
  registerNode,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../tests/support/service.ts';

let service: TestService;

beforeEach(() => {
  service = testService();
});

const all = { limit: 100, prefetch: 0, offer: { num_cpus: 100, memory_gb: 100, num_gpus: 8, num_nodes: 1 } };
const turn = (id: number, nodeId: number, body: object = {}) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });

describe('a lost runner', () => {
  it('jobs that it had not started become ready, and jobs that it had started run again as a new attempt', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'reported' }, { name: 'started' }, { name: 'waiting' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const [reported, begun, waiting] = jobs as [never, never, never];
    await turn(id, nodeId, { started: [started(reported)] });
    const answer = await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: {
        run_id: 1,
        started: [begun].map(({ id: job_id }: { id: number }) => ({ job_id, attempt_id: 1 })),
        reason: 'killed',
      },
    });
    expect(answer.requeued).toEqual([(reported as { id: number }).id, (begun as { id: number }).id]);
    expect(answer.returned).toEqual([(waiting as { id: number }).id]);
    const { items } = await service.client.listJobs({ query: { workflow_id: id } });
    expect(items.map(({ name, status, attempt_id, origin }) => [name, status, attempt_id, origin])).toEqual([
      ['reported', 'ready', 2, 'retry'],
      ['started', 'ready', 2, 'retry'],
      ['waiting', 'ready', 1, undefined],
    ]);
  });

  it('a lost runner ends in its ledger are processed, once', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const job = jobs[0] as { id: number; attempt_id: number };
    const body = { run_id: 1, started: [{ job_id: job.id, attempt_id: 1 }], completed: [ended(job)], reason: 'killed' };
    const call = { params: { id, compute_node_id: nodeId }, body };
    expect((await service.client.reportLostRunner(call)).completed).toEqual([job.id]);
    expect((await service.client.reportLostRunner(call)).completed).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'ready' });
  });

  it('without a ledger all of its jobs count as started', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    await turn(id, nodeId, { want: all });
    const answer = await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'no ledger' },
    });
    expect(answer.requeued).toHaveLength(1);
  });

  it('the lost attempt stays in the history, with return code -128', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { started: [started(jobs[0] as never)] });
    await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, reason: 'killed' },
    });
    const { items } = await service.client.listResults({ query: { workflow_id: id, all_runs: true } });
    expect(items.map(({ attempt_id, return_code, status }) => [attempt_id, return_code, status])).toEqual([
      [1, -128, 'failed'],
    ]);
    expect((await service.client.listResults({ query: { workflow_id: id } })).items).toEqual([]);
  });
});

describe('canceling a workflow', () => {
  it('cancel changes assigned jobs, leaves the others, and notifies runners', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    await turn(id, nodeId, { want: all });
    await service.client.cancelWorkflow({ params: { id } });
    expect(await statuses(service, id)).toEqual({ a: 'canceled', b: 'blocked' });
    expect(await turn(id, nodeId, { want: all })).toMatchObject({ is_canceled: true, is_complete: true, jobs: [] });
  });

  it('the end of a canceled job is not stored as a result', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await service.client.cancelWorkflow({ params: { id } });
    const late = await turn(id, nodeId, { completed: [ended(jobs[0] as never)] });
    expect(late.errors).toHaveLength(1);
    expect(await statuses(service, id)).toEqual({ a: 'canceled' });
  });
});

describe('resetting a workflow', () => {
  const failedChain = async () => {
    const made = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'good' }]);
    const { jobs } = await turn(made.id, made.nodeId, { want: all });
    const codes: Record<string, number> = { a: 1, good: 0 };
    await turn(made.id, made.nodeId, { completed: jobs.map((job) => ended(job, codes[job.name])) });
    expect(await statuses(service, made.id)).toEqual({ a: 'failed', b: 'canceled', good: 'completed' });
    return made;
  };

  it('a reset of failed jobs includes their dependents and keeps the others', async () => {
    const { id } = await failedChain();
    const answer = await service.client.resetJobStatus({ params: { id }, query: { failed_only: true } });
    expect(answer).toMatchObject({ updated_count: 2, reset_type: 'failed_only', status: 'uninitialized' });
    expect(await statuses(service, id)).toEqual({ a: 'uninitialized', b: 'uninitialized', good: 'completed' });
    await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'blocked', good: 'completed' });
  });

  it('a disabled job stays disabled when the job before it is reset and initialized again', async () => {
    const { id, jobIds } = await failedChain();
    const params = { id: jobIds.get('b') as number, status: 'disabled' as const, run_id: 1 };
    await service.client.manageStatusChange({ params });
    await service.client.resetJobStatus({ params: { id }, query: { failed_only: true } });
    await service.client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'disabled', good: 'completed' });
    // A reset of all jobs begins anew, as in Torc.
    await service.client.resetJobStatus({ params: { id } });
    expect(await statuses(service, id)).toEqual({ a: 'uninitialized', b: 'uninitialized', good: 'uninitialized' });
  });

  it('a reset is refused while jobs run, and executed with force', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    await turn(id, nodeId, { want: all });
    await expect(service.client.resetStatus({ params: { id } })).rejects.toThrow(
      'jobs are currently running or pending submission',
    );
    expect((await service.client.resetStatus({ params: { id }, query: { force: true } })).run_id).toBe(2);
  });

  it('a reset of an archived workflow is refused, even with force', async () => {
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    await service.client.archiveWorkflow({ params: { id }, body: { is_archived: true } });
    await expect(service.client.resetStatus({ params: { id }, query: { force: true } })).rejects.toThrow(
      'Unarchive the workflow first',
    );
  });
});

describe('a retry', () => {
  it('a retry makes a failed job ready as its next attempt, until the attempts are used up', async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const jobId = jobIds.get('a') as number;
    const retry = () => service.client.retryJob({ params: { id: jobId, run_id: 1 }, query: { max_retries: 2 } });
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { completed: [ended(jobs[0] as never, 1)] });
    expect(await retry()).toMatchObject({ status: 'ready', attempt_id: 2, origin: 'retry' });
    const again = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { completed: [ended(again.jobs[0] as never, 1)] });
    await expect(retry()).rejects.toThrow('attempt_id=2 >= max_retries=2');
  });

  it('a retry of a ready job is refused', async () => {
    const { jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const call = { params: { id: jobIds.get('a') as number, run_id: 1 }, query: { max_retries: 2 } };
    await expect(service.client.retryJob(call)).rejects.toThrow(
      'status is Ready, must be Running, Failed, or Terminated',
    );
  });
});

describe('changed user data', () => {
  it('changed user data makes its readers uninitialized, and unchanged user data does not', async () => {
    const { client } = service;
    const { id } = (await client.createWorkflow({ body: { name: 'w', user: 'u' } })) as { id: number };
    const data = await client.createUserData({ body: { workflow_id: id, name: 'd', data: { x: 1 } } });
    await client.createJob({
      body: { workflow_id: id, name: 'reader', command: 'true', input_user_data_ids: [data.id] },
    });
    await client.createJob({ body: { workflow_id: id, name: 'other', command: 'true' } });
    await client.resetStatus({ params: { id } });
    await client.initializeJobs({ params: { id } });
    const changed = (dryRun: boolean) => client.processChangedJobInputs({ params: { id }, query: { dry_run: dryRun } });
    expect((await changed(false)).reinitialized_jobs).toEqual([]);
    await client.updateUserData({ params: { id: data.id }, body: { data: { x: 2 } } });
    expect((await changed(true)).reinitialized_jobs).toEqual(['reader']);
    expect(await statuses(service, id)).toEqual({ reader: 'ready', other: 'ready' });
    await changed(false);
    expect(await statuses(service, id)).toEqual({ reader: 'uninitialized', other: 'ready' });
  });
});

it('only the newest runner of a job may end it', async () => {
  const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
  const { jobs } = await turn(id, nodeId, { want: all });
  await turn(id, nodeId, { returned: [jobs[0]?.id] });
  const other = await registerNode(service, id);
  await turn(id, other, { want: all });
  const late = await turn(id, nodeId, { completed: [ended(jobs[0] as never)] });
  expect(late.errors[0]?.code).toBe('RUN_SUPERSEDED');
  expect(await statuses(service, id)).toEqual({ a: 'pending' });
});

it('a job blocked by hand waits for all of its dependencies', async () => {
  const { id, jobIds, nodeId } = await workflowOf(service, [
    { name: 'a' },
    { name: 'b' },
    { name: 'c', after: ['a', 'b'] },
  ]);
  const set = (status: 'ready' | 'blocked') =>
    service.client.manageStatusChange({ params: { id: jobIds.get('c') as number, status, run_id: 1 } });
  await set('ready');
  const { jobs } = await turn(id, nodeId, { want: { ...all, limit: 1 } });
  await turn(id, nodeId, { completed: jobs.map((job) => ended(job)) });
  await set('blocked');
  expect(await statuses(service, id)).toMatchObject({ c: 'blocked' });
  const rest = await turn(id, nodeId, { want: all });
  await turn(id, nodeId, { completed: rest.jobs.map((job) => ended(job)) });
  expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'completed', c: 'ready' });
});
