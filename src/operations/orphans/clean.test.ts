import { beforeEach, describe, expect, it } from 'vitest';
import {
  slurmNodeOf,
  ended,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../tests/support/service.ts';
import type { RecordedJobs, BatchRecords } from '../../cluster/batch/batch-system.ts';
import type { AllocationState } from '../../core/allocation/allocation-end.ts';
import { cleanOrphans } from './clean.ts';
import { temporaryFolder } from '../../../tests/support/programs.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

const NOW = Date.parse('2026-03-01T13:00:00Z');

interface Said {
  readonly queue?: ReadonlyMap<number, AllocationState> | Error;
  readonly account?: RecordedJobs | Error | undefined;
  /** When the controller began, so long ago. */
  readonly controllerAgeSeconds?: number;
}

/** Slurm with these replies; counts how often it is asked. */
function slurmThat({ queue = new Map(), account, controllerAgeSeconds }: Said) {
  const asked: string[] = [];
  const answer = async <T>(name: string, reply: T | Error): Promise<T> => {
    asked.push(name);
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const slurm: BatchRecords = {
    queue: () => answer('squeue', queue),
    account: () => answer('sacct', account),
    queueAgeSeconds: async () => controllerAgeSeconds,
  };
  return { slurm, asked };
}

/** A workflow whose jobs run in allocation 7, with its record. */
async function inAllocation(names: readonly string[]) {
  const { client } = service;
  const { id, jobIds } = await workflowOf(
    service,
    names.map((name) => ({ name })),
  );
  const node = await client.createComputeNode({ body: slurmNodeOf(id) });
  const nodeId = node.id;
  const scheduler = await client.createSlurmScheduler({
    body: { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '1:00:00' },
  });
  const record = await client.createScheduledComputeNode({
    body: {
      workflow_id: id,
      scheduler_id: 7,
      scheduler_config_id: scheduler.id,
      scheduler_type: 'slurm',
      status: 'active',
    },
  });
  for (const { id: other } of (await client.listComputeNodes({ query: { workflow_id: id } })).items)
    if (other !== nodeId) await client.deleteComputeNode({ params: { id: other } });
  const turn = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  const { jobs } = await turn({ want: { limit: 100, prefetch: 0 } });
  await turn({ started: jobs.map(started) });
  return { id, jobIds, nodeId, turn, jobs, recordId: record.id };
}

const clean = (id: number, slurm: BatchRecords, isDryRun = false) =>
  cleanOrphans(service.client, id, { slurm, outputDir: temporaryFolder(), isDryRun, nowMs: () => NOW });

const NODE_FAIL = new Map([[7, { state: 'ended' as const, word: 'NODE_FAIL' }]]);

describe('orphans of an allocation that ended', () => {
  it('its jobs fail with -128 and the cause, its runner is deactivated, its record is complete, with two questions to Slurm', async () => {
    const { id, recordId, nodeId } = await inAllocation(['a', 'b']);
    const { slurm, asked } = slurmThat({ queue: NODE_FAIL });
    const done = await clean(id, slurm);
    expect(done).toMatchObject({ slurmJobsFailed: 2, computeNodesDeactivated: 1, activeAllocationsEnded: 1 });
    expect(asked).toEqual(['squeue', 'sacct']);
    expect(await statuses(service, id)).toEqual({ a: 'failed', b: 'failed' });
    const { items } = await service.client.listResults({ query: { workflow_id: id } });
    expect(items.map(({ return_code: code, cause, cause_code: why }) => [code, cause, why])).toEqual([
      [-128, 'allocation 7 ended NODE_FAIL', 'node'],
      [-128, 'allocation 7 ended NODE_FAIL', 'node'],
    ]);
    expect((await service.client.getScheduledComputeNode({ params: { id: recordId } })).status).toBe('complete');
    expect((await service.client.getComputeNode({ params: { id: nodeId } })).is_active).toBe(false);
    // Nothing holds the workflow: a new run begins.
    await service.client.resetStatus({ params: { id }, query: {} });
    expect(await clean(id, slurm)).toMatchObject({ slurmJobsFailed: 0, computeNodesDeactivated: 0 });
  });

  it('a job that a controller does not know just after its start may run: nothing changes until it ended its orphans', async () => {
    const running = { jobs: new Map([[7, { state: 'running' as const, word: 'RUNNING' }]]) };
    const account: RecordedJobs = { ...running, steps: new Map(), batchEnds: new Map() };
    const { id } = await inAllocation(['a']);
    const young = slurmThat({ account, controllerAgeSeconds: 10 });
    expect(await clean(id, young.slurm)).toMatchObject({ slurmJobsFailed: 0, computeNodesDeactivated: 0 });
    const away = slurmThat({ account: new Error('slurmdbd is away'), controllerAgeSeconds: 10 });
    expect(await clean(id, away.slurm)).toMatchObject({ slurmJobsFailed: 0, computeNodesDeactivated: 0 });
    expect(await statuses(service, id)).toEqual({ a: 'running' });
    // The accounting knows of its end.
    const over = { ...account, jobs: new Map([[7, { state: 'ended' as const, word: 'NODE_FAIL' }]]) };
    expect(await clean(id, slurmThat({ account: over, controllerAgeSeconds: 10 }).slurm, true)).toMatchObject({
      slurmJobsFailed: 1,
    });
    const old = slurmThat({ account, controllerAgeSeconds: 130 });
    expect(await clean(id, old.slurm)).toMatchObject({ slurmJobsFailed: 1, computeNodesDeactivated: 1 });
  });

  it('a dry run says the same and changes nothing', async () => {
    const { id } = await inAllocation(['a']);
    const { slurm } = slurmThat({ queue: NODE_FAIL });
    expect(await clean(id, slurm, true)).toMatchObject({ slurmJobsFailed: 1, computeNodesDeactivated: 1 });
    expect(await statuses(service, id)).toEqual({ a: 'running' });
  });

  it('a job whose step completed is completed; one whose step was cut off fails', async () => {
    const { id, jobIds } = await inAllocation(['a', 'b', 'c']);
    const step = {
      slurmJobId: 7,
      exitCode: 0,
      signal: 0,
      seconds: 60,
      endedAtMs: new Date('2026-03-01T12:30:00').getTime(),
      maxRssBytes: 5,
    };
    const steps = new Map([
      [`wf${id}_j${jobIds.get('a')}_r1_a1`, { ...step, state: 'COMPLETED' }],
      [`wf${id}_j${jobIds.get('b')}_r1_a1`, { ...step, state: 'CANCELLED', signal: 15 }],
      [`wf${id}_j${jobIds.get('c')}_r1_a1`, { ...step, state: 'FAILED', exitCode: 4 }],
    ]);
    const { slurm } = slurmThat({
      queue: NODE_FAIL,
      account: { jobs: new Map(), steps, batchEnds: new Map([[7, NOW]]) },
    });
    expect(await clean(id, slurm)).toMatchObject({ slurmJobsFailed: 1, finishedWorkKept: 2 });
    expect(await statuses(service, id)).toEqual({ a: 'completed', b: 'failed', c: 'failed' });
    const { items } = await service.client.listResults({ query: { workflow_id: id } });
    expect(items.map(({ return_code: code }) => code).toSorted((x, y) => x - y)).toEqual([-128, 0, 4]);
  });

  it('a controller that cannot be asked changes nothing, and is named', async () => {
    const { id } = await inAllocation(['a']);
    const { slurm, asked } = slurmThat({ queue: new Error('squeue: Unable to contact slurm controller') });
    const done = await clean(id, slurm);
    expect(done).toMatchObject({ slurmJobsFailed: 0, warnings: [expect.stringContaining('Unable to contact')] });
    expect(asked).toEqual(['squeue']);
    expect(await statuses(service, id)).toEqual({ a: 'running' });
  });

  it('an accounting that is away keeps jobs that run as steps of Slurm, and not those of direct mode', async () => {
    const { id } = await inAllocation(['a']);
    const { slurm } = slurmThat({ queue: NODE_FAIL, account: new Error('slurmdbd is away') });
    await service.client.updateWorkflow({ params: { id }, body: { execution_config: { mode: 'slurm' } } });
    const replies = [
      { asked: 'queue', program: 'squeue' },
      { asked: 'accounting', program: 'sacct', fault: 'sacct cannot be asked: slurmdbd is away' },
    ];
    expect(await clean(id, slurm)).toMatchObject({ slurmJobsFailed: 0, replies });
    expect(await statuses(service, id)).toEqual({ a: 'running' });
    await service.client.updateWorkflow({ params: { id }, body: { execution_config: { mode: 'direct' } } });
    expect(await clean(id, slurm)).toMatchObject({ slurmJobsFailed: 1, replies });
    expect(await clean(id, slurmThat({}).slurm)).toMatchObject({ replies: [{ program: 'squeue' }] });
  });

  it('jobs of a requeued allocation run again as a new attempt that counts for no failure handler', async () => {
    const { id, jobIds, recordId } = await inAllocation(['a']);
    const { slurm } = slurmThat({ queue: new Map([[7, { state: 'queued', word: 'PENDING' }]]) });
    expect(await clean(id, slurm)).toMatchObject({ jobsRequeued: 1, slurmJobsFailed: 0 });
    const job = await service.client.getJob({ params: { id: jobIds.get('a') as number } });
    expect(job).toMatchObject({ status: 'ready', attempt_id: 2, refunded_attempts: 1 });
    expect((await service.client.getScheduledComputeNode({ params: { id: recordId } })).status).toBe('pending');
    // Two attempts were made, and one is allowed: the lost one does not count.
    const params = { id: job.id, run_id: 1 };
    await service.client.manageStatusChange({ params: { ...params, status: 'running' } });
    await expect(service.client.retryJob({ params, query: { max_retries: 1 } })).rejects.toThrow('max_retries=1');
    await service.client.retryJob({ params, query: { max_retries: 2 } });
  });

  it('jobs of a failed node run again where their failure handler says so, and the others fail', async () => {
    const { client } = service;
    const { id, jobIds } = await inAllocation(['a', 'b']);
    const body = { workflow_id: id, name: 'nodes', rules: '[{"on_node_fail":"retry"}]' };
    const handler = await client.createFailureHandler({ body });
    service.store.db
      .prepare<{ handlerId: number; id: number }>('update job set failure_handler_id = :handlerId where id = :id')
      .run({ handlerId: handler.id, id: jobIds.get('a') as number });
    const { slurm } = slurmThat({ queue: NODE_FAIL });
    expect(await clean(id, slurm, true)).toMatchObject({ jobsRequeued: 1, slurmJobsFailed: 1 });
    expect(await clean(id, slurm)).toMatchObject({ jobsRequeued: 1, slurmJobsFailed: 1 });
    expect(await statuses(service, id)).toEqual({ a: 'ready', b: 'failed' });
    const job = await client.getJob({ params: { id: jobIds.get('a') as number } });
    expect(job).toMatchObject({ attempt_id: 2, refunded_attempts: 1 });
    // A second pass finds nothing more.
    expect(await clean(id, slurm)).toMatchObject({ jobsRequeued: 0, slurmJobsFailed: 0 });
  });

  it('jobs of a canceled allocation fail although their failure handler retries them when a node fails', async () => {
    const { client } = service;
    const { id, jobIds } = await inAllocation(['a']);
    const body = { workflow_id: id, name: 'nodes', rules: '[{"on_node_fail":"retry"}]' };
    const handler = await client.createFailureHandler({ body });
    service.store.db
      .prepare<{ handlerId: number; id: number }>('update job set failure_handler_id = :handlerId where id = :id')
      .run({ handlerId: handler.id, id: jobIds.get('a') as number });
    const { slurm } = slurmThat({ queue: new Map([[7, { state: 'ended', word: 'CANCELLED' }]]) });
    expect(await clean(id, slurm)).toMatchObject({ jobsRequeued: 0, slurmJobsFailed: 1 });
  });

  it('a report that arrives late is refused, and the jobs stay as they are', async () => {
    const { id, turn, jobs } = await inAllocation(['a']);
    const { slurm } = slurmThat({ queue: NODE_FAIL });
    await clean(id, slurm);
    const late = await turn({ completed: jobs.map((job) => ended(job)) });
    expect(late.is_deregistered).toBe(true);
    expect(await statuses(service, id)).toEqual({ a: 'failed' });
  });
});

describe('orphans without an allocation', () => {
  it('running jobs without any active runner fail; while one is active they stay', async () => {
    const { client } = service;
    const { id, nodeId } = await workflowOf(service, [{ name: 'a' }]);
    const about = { run_id: 1, compute_node_id: nodeId };
    const { jobs } = await client.exchange({ params: { id }, body: { ...about, want: { limit: 1, prefetch: 0 } } });
    await client.exchange({ params: { id }, body: { ...about, started: jobs.map(started) } });
    const { slurm, asked } = slurmThat({});
    expect(await clean(id, slurm)).toMatchObject({ runningJobsFailed: 0 });
    service.store.db
      .prepare<{ nodeId: number }>('update compute_node set is_active = 0 where id = :nodeId')
      .run({ nodeId });
    const done = await clean(id, slurm);
    expect(done.failed).toEqual([expect.objectContaining({ job_name: 'a', reason: 'No active compute nodes' })]);
    expect(await statuses(service, id)).toEqual({ a: 'failed' });
    // Without allocations Slurm is not asked.
    expect(asked).toEqual([]);
  });

  it('a pending allocation that vanished is complete', async () => {
    const { client } = service;
    const { id } = await workflowOf(service, [{ name: 'a' }]);
    const body = {
      workflow_id: id,
      scheduler_id: 8,
      scheduler_config_id: 1,
      scheduler_type: 'slurm',
      status: 'pending',
    };
    const scheduler = { workflow_id: id, name: 's', account: 'a', nodes: 1, walltime: '1:00:00' };
    await client.createSlurmScheduler({ body: scheduler });
    const { id: recordId } = await client.createScheduledComputeNode({ body });
    expect(await clean(id, slurmThat({}).slurm)).toMatchObject({ pendingAllocationsCleaned: 1 });
    expect((await client.getScheduledComputeNode({ params: { id: recordId } })).status).toBe('complete');
  });
});
