import { beforeEach, describe, expect, it } from 'vitest';
import {
  ended,
  started,
  statuses,
  testService,
  type TestService,
  workflowOf,
} from '../../../../tests/support/service.ts';

let service: TestService;
let id: number;
let nodeId: number;
let caller: number;

const offer = { num_cpus: 8, memory_gb: 8, num_gpus: 0, num_nodes: 1 };
const turn = (body: object) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });

/** Claims the ready jobs and starts them, as a runner does. */
async function startReady(): Promise<string[]> {
  const { jobs } = await turn({ want: { limit: 10, prefetch: 0, offer } });
  await turn({ started: jobs.map(started) });
  return jobs.map(({ name }) => name);
}

const spawn = (jobs: object[], more: object = {}, from = caller) =>
  service.client.spawnJobs({ params: { id: from }, body: { jobs, ...more } as never });
const job = (name: string, ...depends_on: string[]) => ({ name, command: 'true', depends_on });
const stateOf = async (name: string) => {
  const { items } = await service.client.listUserData({ query: { workflow_id: id, name } });
  return items.map(({ name: full, data, is_ephemeral }) => [full, data, is_ephemeral]);
};

beforeEach(async () => {
  service = testService();
  const made = await workflowOf(service, [{ name: 'loop' }, { name: 'idle', after: ['loop'] }], {
    big: { num_cpus: 4 },
  });
  ({ id, nodeId } = made);
  caller = made.jobIds.get('loop') as number;
  await startReady();
});

describe('jobs that a running job adds', () => {
  it('added jobs wait for the job that adds them and for their dependencies, and run when these have ended', async () => {
    const { spawned_job_ids: ids, iteration } = await spawn([job('b', 'a'), job('a')]);
    expect(iteration).toBe(1);
    expect(await statuses(service, id)).toEqual({ loop: 'running', idle: 'blocked', a: 'blocked', b: 'blocked' });
    expect(await service.client.getJob({ params: { id: ids[0] as number } })).toMatchObject({
      name: 'b',
      origin: 'spawn',
      depends_on_job_ids: [caller, ids[1]],
      env: { TORC_ORCHESTRATOR_LINEAGE_ID: 'loop' },
    });
    await turn({ completed: [ended({ id: caller, attempt_id: 1 })] });
    expect(await startReady()).toEqual(['idle', 'a']);
    await turn({ completed: [ended({ id: ids[1] as number, attempt_id: 1 })] });
    expect(await startReady()).toEqual(['b']);
  });

  it('added jobs are canceled when the job that adds them fails, unless they are configured otherwise', async () => {
    await spawn([job('a'), { ...job('brave'), cancel_on_blocking_job_failure: false }]);
    await turn({ completed: [ended({ id: caller, attempt_id: 1 }, 1)] });
    expect(await statuses(service, id)).toMatchObject({ a: 'canceled', brave: 'ready' });
  });

  it('added jobs get requirements by name, and the default ones without', async () => {
    const { spawned_job_ids: ids } = await spawn([{ ...job('a'), resource_requirements: 'big' }, job('b')]);
    const needs = await Promise.all(
      ids.map(async (jobId) => {
        const { resource_requirements_id: needId } = await service.client.getJob({ params: { id: jobId } });
        return (await service.client.getResourceRequirements({ params: { id: needId as number } })).name;
      }),
    );
    expect(needs).toEqual(['big', 'default']);
  });

  it('a repeated request returns the same jobs, and is refused when only some of them exist', async () => {
    const first = await spawn([job('a'), job('b')]);
    expect(await spawn([job('b'), job('a')])).toEqual({
      spawned_job_ids: [...first.spawned_job_ids].reverse(),
      iteration: 1,
    });
    await expect(spawn([job('a'), job('c')])).rejects.toThrow(
      'Inconsistent replay: some but not all jobs already exist',
    );
    expect(Object.keys(await statuses(service, id))).toEqual(['loop', 'idle', 'a', 'b']);
  });
});

describe('a lineage', () => {
  it('a lineage counts its generations and stores the state of each, and at its end the last one', async () => {
    await spawn([job('a')], { state: { x: 1 } });
    expect((await spawn([job('b')])).iteration).toBe(2);
    expect((await spawn([job('c')], { lineage: 'other' })).iteration).toBe(1);
    expect(await spawn([], { state: 'done' })).toEqual({ spawned_job_ids: [], iteration: 2 });
    await spawn([], { state: 'really' });
    expect(await stateOf('__torc_lineage__loop__')).toEqual([
      ['__torc_lineage__loop__g000001', { generation: 1, spawn_count: 1, state: { x: 1 } }, true],
      ['__torc_lineage__loop__g000002', { generation: 2, spawn_count: 2, state: null }, true],
      ['__torc_lineage__loop__final', { generation: 2, spawn_count: 2, final: true, state: 'really' }, true],
    ]);
  });

  it('a lineage ends at its cap, and nothing of the request beyond it is created', async () => {
    const made = (await service.client.createWorkflow({
      body: { name: 'w', user: 'u', dynamic_jobs: { max_iterations: 1 } },
    })) as { id: number };
    const { id: loop } = await service.client.createJob({
      body: { workflow_id: made.id, name: 'loop', command: 'true' },
    });
    await service.client.resetStatus({ params: { id: made.id } });
    await service.client.initializeJobs({ params: { id: made.id } });
    await service.client.claimNextJobs({ params: { id: made.id }, query: {} });
    const node = await service.client.createComputeNode({
      body: { ...(await service.client.getComputeNode({ params: { id: nodeId } })), workflow_id: made.id },
    });
    const params = { id: loop, run_id: 1, compute_node_id: node.id };
    await service.client.startJob({ params });
    await spawn([job('a')], {}, loop);
    await expect(spawn([job('b')], {}, loop)).rejects.toThrow(
      "Per-lineage iteration cap reached for lineage 'loop': attempted iteration 2 exceeds dynamic_jobs.max_iterations=1 (current spawn_count=1)",
    );
    expect(Object.keys(await statuses(service, made.id))).toEqual(['loop', 'a']);
  });
});

describe('an invalid request creates nothing', () => {
  it.each([
    ['a duplicate name', [job('a'), job('a')], "duplicate name 'a' in spawn batch"],
    ['a negative priority', [{ ...job('a'), priority: -1 }], "spawn job 'a' has invalid priority -1: must be >= 0"],
    ['a circle', [job('a', 'b'), job('b', 'a'), job('c')], 'spawn jobs dependency graph contains a cycle'],
    ['an unknown job', [job('a', 'ghost')], "spawn job 'a' depends on unknown job 'ghost'"],
    [
      'unknown requirements',
      [{ ...job('a'), resource_requirements: 'r' }],
      "Unknown resource_requirements 'r' for spawn job 'a'",
    ],
    ['an unknown field', [{ ...job('a'), env: {} }], 'env'],
  ])('a request with %s creates nothing', async (_, jobs, words) => {
    await expect(spawn(jobs)).rejects.toThrow(words);
    expect(Object.keys(await statuses(service, id))).toEqual(['loop', 'idle']);
    expect(await stateOf('__torc_lineage__')).toEqual([]);
  });

  it('a request from a pending job is accepted if a runner holds it, because the job is running by then', async () => {
    const { id: other, nodeId: itsNode } = await workflowOf(service, [{ name: 'early' }]);
    const held = await service.client.exchange({
      params: { id: other },
      body: { run_id: 1, compute_node_id: itsNode, want: { limit: 1, prefetch: 0, offer } },
    });
    const early = held.jobs[0]?.id as number;
    expect((await spawn([job('a')], {}, early)).iteration).toBe(1);
    expect(await statuses(service, other)).toEqual({ early: 'pending', a: 'blocked' });
  });

  it('a request from a job that is not running is refused', async () => {
    const { items } = await service.client.listJobs({ query: { workflow_id: id, name: 'idle' } });
    await expect(spawn([job('a')], {}, items[0]?.id as number)).rejects.toThrow(
      'spawn_jobs requires the calling job to be Running (job_id=2 is Blocked)',
    );
  });
});
