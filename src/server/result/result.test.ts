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

describe('dependents', () => {
  it('dependents are assigned in the reply to the end of their last dependency', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const [a, b] = jobs as [never, never];
    const half = await turn(id, nodeId, { started: [started(a)], completed: [ended(a)], want: all });
    expect(half.jobs).toEqual([]);
    const whole = await turn(id, nodeId, { completed: [ended(b)], want: all });
    expect(whole.jobs.map(({ name }) => name)).toEqual(['c']);
  });

  it('dependents are canceled with everything downstream when a dependency failed, unless they are configured otherwise', async () => {
    const { id, nodeId } = await workflowOf(service, [
      { name: 'a' },
      { name: 'b', after: ['a'] },
      { name: 'c', after: ['b'] },
      { name: 'brave', after: ['a'], cancels: false },
    ]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { completed: [ended(jobs[0] as never, 3)] });
    expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'canceled', c: 'canceled', brave: 'ready' });
  });

  it('dependents wait for all of their dependencies before they are canceled', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { completed: [ended(jobs[0] as never, 1)] });
    expect((await statuses(service, id))['c']).toBe('blocked');
    await turn(id, nodeId, { completed: [ended(jobs[1] as never)] });
    expect((await statuses(service, id))['c']).toBe('canceled');
  });

  it('dependents stay blocked while a dependency waits for a decision', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const undecided = await turn(id, nodeId, {
      completed: [{ ...ended(jobs[0] as never, 1), status: 'pending_failed' }],
    });
    expect(undecided.is_complete).toBe(false);
    expect(await statuses(service, id)).toEqual({ a: 'pending_failed', b: 'blocked' });
  });

  it('a failure before a restart of the server still cancels dependents', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { completed: [ended(jobs[0] as never, 1)] });
    const row = service.store.db.prepare<{ id: number }, { upstream_failed: number; unmet: number }>(
      "select upstream_failed, unmet from job where workflow_id = :id and name = 'c'",
    );
    expect(row.get({ id })).toEqual({ upstream_failed: 1, unmet: 1 });
  });
});

describe('an end that is reported twice', () => {
  it('an end that is reported twice is known the second time, and counts once', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }, { name: 'c', after: ['a', 'b'] }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const news = { started: [started(jobs[0] as never)], completed: [ended(jobs[0] as never)] };
    expect((await turn(id, nodeId, news)).errors).toEqual([]);
    expect((await turn(id, nodeId, news)).errors).toEqual([]);
    expect((await statuses(service, id))['c']).toBe('blocked');
    expect((await service.client.listResults({ query: { workflow_id: id } })).total_count).toBe(1);
  });

  it("an end that is reported twice is refused the second time by Torc's routes", async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const jobId = jobIds.get('a') as number;
    const body = {
      ...ended({ id: jobId, attempt_id: 1 }),
      workflow_id: id,
      run_id: 1,
      compute_node_id: nodeId,
    };
    const call = { params: { id: jobId, status: 'completed' as const, run_id: 1 }, body };
    expect((await service.client.completeJob(call)).status).toBe('completed');
    await expect(service.client.completeJob(call)).rejects.toThrow(
      `job_id=${jobId} is already complete with status=completed`,
    );
  });
});

describe('an outdated report', () => {
  it('a report of an earlier run is refused as a whole, and changes nothing', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await service.client.resetStatus({ params: { id }, query: { force: true } });
    await expect(turn(id, nodeId, { completed: [ended(jobs[0] as never)] })).rejects.toMatchObject({
      status: 422,
      code: 'RUN_SUPERSEDED',
    });
    expect((await service.client.listResults({ query: { workflow_id: id, all_runs: true } })).items).toEqual([]);
  });

  it('a report of an earlier attempt, or of a job that another runner holds by now, is refused alone', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    const [a, b] = jobs as [(typeof jobs)[number], (typeof jobs)[number]];
    await turn(id, nodeId, { started: [started(a)] });
    await service.client.reportLostRunner({
      params: { id, compute_node_id: nodeId },
      body: { run_id: 1, started: [{ job_id: a.id, attempt_id: 1 }], reason: 'test' },
    });
    const other = await registerNode(service, id);
    await turn(id, other, { want: all });
    const late = await turn(id, nodeId, { completed: [ended(a), ended(b)] });
    expect(late.errors.map(({ job_id, code }) => [job_id, code])).toEqual([[b.id, 'RUN_SUPERSEDED']]);
    expect(await statuses(service, id)).toEqual({ a: 'pending', b: 'pending' });
  });

  it('what an attempt read is stored with its end alone: a doubled or late report, and one of another job, change nothing', async () => {
    const { client } = service;
    const { id, nodeId } = await workflowOf(service, [{ name: 'other' }]);
    const { id: file } = await client.createFile({ body: { workflow_id: id, name: 'raw', path: 'raw' } });
    const reader = { workflow_id: id, name: 'reads', command: 'true', input_file_ids: [file] };
    await client.createJob({ body: reader });
    await client.resetStatus({ params: { id }, query: { force: true } });
    await client.initializeJobs({ params: { id } });
    const run = { run_id: 2, compute_node_id: nodeId };
    const send = (body: object) => client.exchange({ params: { id }, body: { ...run, ...body } });
    const { jobs } = await send({ want: all });
    const [other, reads] = ['other', 'reads'].map((name) => jobs.find((job) => job.name === name)) as [never, never];
    const said = (st_mtime: number) => ({ inputs: [{ id: file, st_mtime, st_size: 1 }] });
    const stored = async () => (await client.readInputColumns({ params: { id }, query: {} })).columns.st_mtime;
    await send({ completed: [{ ...ended(other), ...said(10) }] });
    expect(await stored()).toEqual([]);
    await send({ completed: [{ ...ended(reads), ...said(20) }] });
    expect(await stored()).toEqual([20]);
    await send({ completed: [{ ...ended(reads), ...said(30) }] });
    const late = { ...(ended(reads) as { attempt_id: number }), attempt_id: 9, ...said(40) };
    expect((await send({ completed: [late] })).errors).toHaveLength(1);
    expect(await stored()).toEqual([20]);
  });

  it("a refused report by Torc's route leaves no partial result", async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const jobId = jobIds.get('a') as number;
    const body = { ...ended({ id: jobId, attempt_id: 1 }), workflow_id: id, run_id: 7, compute_node_id: nodeId };
    await expect(
      service.client.completeJob({ params: { id: jobId, status: 'completed', run_id: 7 }, body }),
    ).rejects.toMatchObject({ status: 422 });
    expect((await service.client.listResults({ query: { workflow_id: id, all_runs: true } })).items).toEqual([]);
    expect(await statuses(service, id)).toEqual({ a: 'ready' });
  });
});

describe('a batch of completions', () => {
  it('a batch stores its valid entries and lists the invalid ones, each with its reason', async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]);
    const entry = (name: string, over: object = {}) => {
      const jobId = jobIds.get(name) ?? 99;
      const result = {
        ...ended({ id: jobId, attempt_id: 1 }),
        workflow_id: id,
        run_id: 1,
        compute_node_id: nodeId,
        ...over,
      };
      return { job_id: jobId, status: 'completed' as const, run_id: 1, result };
    };
    const answer = await service.client.batchCompleteJobs({
      params: { id },
      body: { completions: [entry('a'), entry('a'), entry('unknown'), entry('b', { status: 'failed' })] },
    });
    expect(answer.completed).toEqual([jobIds.get('a')]);
    expect(answer.errors.map(({ message }) => message)).toEqual([
      `job_id=${jobIds.get('a')} is already complete with status=completed`,
      'Job not found with ID: 99',
      "ResultModel status='failed' does not match target status='completed'",
    ]);
  });

  it('a long batch lets others write between two parts of it', async () => {
    const sketches = Array.from({ length: 250 }, (_, index) => ({ name: `j${index}` }));
    const { id, nodeId, jobIds } = await workflowOf(service, sketches);
    const completions = [...jobIds.values()].map((jobId) => {
      const result = { ...ended({ id: jobId, attempt_id: 1 }), workflow_id: id, run_id: 1, compute_node_id: nodeId };
      return { job_id: jobId, status: 'completed' as const, run_id: 1, result };
    });
    const order: string[] = [];
    const all = service.client.batchCompleteJobs({ params: { id }, body: { completions } }).then((answer) => {
      order.push('batch');
      return answer;
    });
    await service.client.createEvent({ body: { workflow_id: id, timestamp: 0, data: {} } });
    order.push('event');
    expect((await all).completed).toEqual([...jobIds.values()]);
    expect(order).toEqual(['event', 'batch']);
    expect((await service.client.isComplete({ params: { id } })).is_complete).toBe(true);
  });
});

describe('a start', () => {
  it('a start makes a pending job running, with its node and time', async () => {
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const { jobs } = await turn(id, nodeId, { want: all });
    await turn(id, nodeId, { started: [started(jobs[0] as never)] });
    const { items } = await service.client.listJobs({ query: { workflow_id: id } });
    expect(items[0]).toMatchObject({
      status: 'running',
      compute_node_id: nodeId,
      start_time: '2026-03-01T12:00:00.500Z',
    });
  });

  it('the start of a job that is not pending is refused with 422, and not 500', async () => {
    const { nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const params = { id: jobIds.get('a') as number, run_id: 1, compute_node_id: nodeId };
    await expect(service.client.startJob({ params })).rejects.toMatchObject({ status: 422 });
    expect(service.errors).toEqual([]);
  });

  it("a start of an unknown job, of another run or on another workflow's node is refused, and the job stays pending", async () => {
    const { id, nodeId, jobIds } = await workflowOf(service, [{ name: 'a' }]);
    const other = await workflowOf(service, [{ name: 'b' }]);
    await service.client.claimNextJobs({ params: { id }, query: {} });
    const params = { id: jobIds.get('a') as number, run_id: 1, compute_node_id: nodeId };
    const start = (wrong: Partial<typeof params>) => service.client.startJob({ params: { ...params, ...wrong } });
    await expect(start({ id: 99 })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(start({ run_id: 2 })).rejects.toMatchObject({ code: 'RUN_SUPERSEDED' });
    await expect(start({ compute_node_id: other.nodeId })).rejects.toMatchObject({ code: 'REFERENCE_UNKNOWN' });
    expect(await statuses(service, id)).toEqual({ a: 'pending' });
    expect(await start({})).toMatchObject({ status: 'running' });
  });
});

it('the workflow is reported complete when its last job has ended, and not before', async () => {
  const { id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b', after: ['a'] }]);
  const first = await turn(id, nodeId, { want: all });
  const second = await turn(id, nodeId, { completed: [ended(first.jobs[0] as never)], want: all });
  expect(second.is_complete).toBe(false);
  const last = await turn(id, nodeId, { completed: [ended(second.jobs[0] as never)] });
  expect(last.is_complete).toBe(true);
  expect(last.jobs_by_status.completed).toBe(2);
});

it('a job rerun in the same run ends again, and its later result counts', async () => {
  const service = testService();
  const { client } = service;
  const { id, jobIds, nodeId } = await workflowOf(service, [{ name: 'a' }]);
  const turn = (over: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...over } });
  const runOnce = async (returnCode: number) => {
    const { jobs } = await turn({ want: { limit: 1, prefetch: 0 } });
    return turn({ completed: jobs.map((job) => ended(job, returnCode)) });
  };
  expect((await runOnce(1)).errors).toEqual([]);
  await client.resetJobStatus({ params: { id }, query: { failed_only: true } });
  await client.initializeJobs({ params: { id }, query: { only_uninitialized: true } });
  expect(await runOnce(0)).toMatchObject({ errors: [], is_complete: true });
  expect(await statuses(service, id)).toEqual({ a: 'completed' });
  const { items } = await client.listResults({ query: { workflow_id: id, all_runs: true } });
  expect(items).toMatchObject([{ job_id: jobIds.get('a'), return_code: 0, status: 'completed' }]);
});
