import { beforeEach, describe, expect, it } from 'vitest';
import type { ClaimedJob, ExchangeReply } from '../../../core/contract/exchange.ts';
import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { Workflow } from '../../../core/contract/workflow.ts';
import {
  ended,
  registerNode,
  started,
  testService,
  type TestService,
  workflowOf,
} from '../../../../tests/support/service.ts';
import { kindsLeftSql, sourcesSql } from '../queries.ts';

type Jobs = Parameters<typeof workflowOf>[1];
type Needs = Parameters<typeof workflowOf>[2];

let service: TestService;
let id: number;
/** The runner that has the jobs, and an idle one: both have 8 CPUs and 16 GB. */
let busy: number;
let idle: number;

beforeEach(() => {
  service = testService();
});

/** A workflow in which one runner has taken what is ready. */
async function begun(jobs: Jobs, { needs = {}, fields = {} }: { needs?: Needs; fields?: Partial<Workflow> } = {}) {
  ({ id, nodeId: busy } = await workflowOf(service, jobs, needs, fields));
  idle = await registerNode(service, id);
  return take();
}

/** Jobs by name, which the busy runner runs. */
async function take(): Promise<Map<string, ClaimedJob>> {
  const { jobs } = await exchange({ want: { limit: 10, prefetch: 0 } });
  await exchange({ started: jobs.map(started) });
  return new Map(jobs.map((job) => [job.name, job]));
}

const exchange = (body: object): Promise<ExchangeReply> =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: busy, ...body } });
const end = (job: ClaimedJob | undefined, body: object = {}) =>
  exchange({ completed: [ended(job as ClaimedJob)], ...body });
const mayTake = async () =>
  (await service.client.getUnclaimableJobs({ params: { id }, query: { compute_node_id: idle } })).may_take;

describe('an idle runner may get a job', () => {
  it('an idle runner may get no job while others run all that is left, and may when one of them was not started yet', async () => {
    ({ id, nodeId: busy } = await workflowOf(service, [{ name: 'a' }]));
    idle = await registerNode(service, id);
    expect(await mayTake()).toBe(true);
    const { jobs } = await exchange({ want: { limit: 1, prefetch: 0 } });
    expect(await mayTake()).toBe(true);
    await exchange({ started: jobs.map(started) });
    expect(await mayTake()).toBe(false);
  });

  it('an idle runner may get a job that is blocked, until that has started elsewhere', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    expect(await mayTake()).toBe(true);
    await end(jobs.get('a'));
    expect(await mayTake()).toBe(true);
    await take();
    expect(await mayTake()).toBe(false);
  });

  it('an idle runner may get no blocked job that it has no room for', async () => {
    const needs = { wide: { num_cpus: 64 } };
    await begun([{ name: 'a' }, { name: 'b', after: ['a'], requirements: 'wide' }], { needs });
    expect(await mayTake()).toBe(false);
  });

  it('an idle runner may get a job that runs elsewhere where a failure handler may run it again', async () => {
    const jobs = await begun([{ name: 'a', retries: '[{"exit_codes":[1],"max_retries":2}]' }, { name: 'b' }]);
    expect(await mayTake()).toBe(true);
    await end(jobs.get('a'));
    expect(await mayTake()).toBe(false);
  });

  it('an idle runner may get jobs where the workflow says that jobs add others', async () => {
    await begun([{ name: 'a' }], { fields: { dynamic_jobs: {} } });
    expect(await mayTake()).toBe(true);
  });

  it('an idle runner may get jobs where a running job was added by another', async () => {
    const jobs = await begun([{ name: 'a' }]);
    const params = { id: jobs.get('a')?.id as number };
    await service.client.spawnJobs({ params, body: { jobs: [{ name: 'next', command: 'true' }] } });
    await end(jobs.get('a'));
    await take();
    expect(await mayTake()).toBe(true);
  });

  it('an idle runner may get no job of a workflow that is complete or canceled, unless runners stay by their options', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    await service.client.cancelWorkflow({ params: { id } });
    expect(await mayTake()).toBe(false);
    expect(jobs.size).toBe(1);
    await begun([{ name: 'a' }], { fields: { compute_node_ignore_workflow_completion: true } });
    expect(await mayTake()).toBe(true);
  });

  describe('by an action', () => {
    const action = async (body: object) =>
      (
        await service.client.createWorkflowAction({
          params: { id },
          body: {
            workflow_id: id,
            trigger_type: 'on_jobs_complete',
            action_type: 'run_commands',
            action_config: { commands: ['true'] },
            job_ids: [1],
            ...body,
          },
        })
      ).id;

    it('an idle runner may get jobs by commands that wait for the jobs of others, and none by those of the end', async () => {
      await begun([{ name: 'a' }]);
      await action({ trigger_type: 'on_workflow_complete', job_ids: [] });
      expect(await mayTake()).toBe(false);
      await action({});
      expect(await mayTake()).toBe(true);
    });

    it('an idle runner may get jobs while another one executes an action', async () => {
      await begun([{ name: 'a' }, { name: 'b' }]);
      const actionId = await action({});
      await service.client.claimWorkflowAction({
        params: { id, action_id: actionId },
        body: { compute_node_id: busy, tells_end: true },
      });
      expect(await mayTake()).toBe(true);
      await service.client.endWorkflowAction({
        params: { id, action_id: actionId },
        body: { compute_node_id: busy, outcome: 'done' },
      });
      expect(await mayTake()).toBe(false);
    });

    it('an idle runner is needed for an action that submits allocations only where no other runner works in an allocation', async () => {
      await begun([{ name: 'a' }]);
      await action({ action_type: 'schedule_nodes', action_config: { scheduler_type: 'slurm', scheduler_id: 1 } });
      expect(await mayTake()).toBe(true);
      await inAllocation(1);
      expect(await mayTake()).toBe(false);
    });
  });
});

/** A runner in an allocation of this scheduler. */
const inAllocation = (schedulerId: number, slurmJobId?: string) =>
  service.client.createComputeNode({
    body: {
      workflow_id: id,
      hostname: 'n1',
      pid: 1,
      start_time: '2026-03-01T12:00:00.000Z',
      is_active: true,
      num_cpus: 1,
      memory_gb: 1,
      num_gpus: 0,
      num_nodes: 1,
      compute_node_type: 'slurm',
      scheduler_config_id: schedulerId,
      ...(slurmJobId === undefined ? {} : { scheduler: { slurm_job_id: slurmJobId, slurm_node_id: '0' } }),
    },
  });

describe('an allocation in the queue', () => {
  const scheduler = async (more: Partial<SlurmScheduler> = {}) => {
    const body = { workflow_id: id, name: 'nodes', account: 'any', nodes: 1, walltime: '00:10:00', ...more };
    return (await service.client.createSlurmScheduler({ body })).id;
  };
  const queued = async (schedulerId: number, slurmJobId: number, status = 'pending') =>
    (
      await service.client.createScheduledComputeNode({
        body: {
          workflow_id: id,
          scheduler_id: slurmJobId,
          scheduler_config_id: schedulerId,
          scheduler_type: 'slurm',
          status,
        },
      })
    ).id;
  const unneeded = async () =>
    (await service.client.getUnclaimableJobs({ params: { id }, query: {} })).unneeded_allocations.map(
      ({ scheduler_id: job }) => job,
    );

  it('an allocation in the queue is needed while a job is ready or blocked, and not when the last one has started', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    await queued(await scheduler(), 71);
    expect(await unneeded()).toEqual([]);
    await end(jobs.get('a'));
    expect(await unneeded()).toEqual([]);
    await take();
    expect(await unneeded()).toEqual([71]);
  });

  it('an allocation that waits again is needed while a runner of it holds a job, and another one is not', async () => {
    ({ id } = await workflowOf(service, [{ name: 'a' }]));
    const schedulerId = await scheduler();
    await queued(schedulerId, 71);
    await queued(schedulerId, 72);
    busy = (await inAllocation(schedulerId, '71')).id;
    const jobs = await take();
    expect(await unneeded()).toEqual([72]);
    await end(jobs.get('a'));
    expect(await unneeded()).toEqual([71, 72]);
  });

  it('an allocation in the queue is not needed when only jobs are left that need more nodes, memory or time than it will have', async () => {
    const needs = { wide: { num_nodes: 2 }, large: { memory: '8g' }, long: { runtime: 'PT1H' } };
    const later = Object.keys(needs).map((name) => ({ name, after: ['a'], requirements: name }));
    await begun([{ name: 'a' }, ...later], { needs, fields: { execution_config: { mode: 'slurm' } } });
    await queued(await scheduler({ mem: '4g' }), 71);
    await queued(await scheduler({ mem: '4g', walltime: '02:00:00' }), 72);
    await queued(await scheduler({ mem: '16g' }), 73);
    await queued(await scheduler({ nodes: 2, mem: '4g' }), 74);
    await queued(await scheduler({ mem: '4g', extra: '--nodes=2' }), 75);
    expect(await unneeded()).toEqual([71]);
  });

  it('an allocation of PBS is needed for jobs of two nodes, and is not where each node has a runner', async () => {
    await begun([{ name: 'a' }, { name: 'b', after: ['a'], requirements: 'wide' }], {
      needs: { wide: { num_nodes: 2 } },
      fields: { execution_config: { mode: 'direct' } },
    });
    const pbs = { select: '2:ncpus=4:mem=8gb' };
    const [whole, perNode] = [await scheduler({ nodes: 2, pbs }), await scheduler({ nodes: 2, pbs })];
    for (const config of [{ scheduler_id: whole }, { scheduler_id: perNode, start_one_worker_per_node: true }])
      await service.client.createWorkflowAction({
        params: { id },
        body: {
          workflow_id: id,
          trigger_type: 'on_workflow_start',
          action_type: 'schedule_nodes',
          action_config: { scheduler_type: 'slurm', ...config },
        },
      });
    await queued(whole, 71);
    await queued(perNode, 72);
    await queued(await scheduler({ nodes: 1, pbs: { select: '1:ncpus=4' } }), 73);
    expect(await unneeded()).toEqual([72, 73]);
  });

  it('an allocation in the queue is needed where its runner will count jobs and ignore their requirements', async () => {
    await begun([{ name: 'a' }, { name: 'b', after: ['a'], requirements: 'large' }], {
      needs: { large: { memory: '8g' } },
    });
    const [counting, other] = [await scheduler({ mem: '4g' }), await scheduler({ mem: '4g' })];
    for (const config of [{ scheduler_id: counting, max_parallel_jobs: 4 }, { scheduler_id: other }])
      await service.client.createWorkflowAction({
        params: { id },
        body: {
          workflow_id: id,
          trigger_type: 'on_workflow_start',
          action_type: 'schedule_nodes',
          action_config: { scheduler_type: 'slurm', ...config },
        },
      });
    await queued(counting, 71);
    await queued(other, 72);
    expect(await unneeded()).toEqual([72]);
  });

  it('an allocation in the queue is marked as canceled once, and only while it is queued and not needed', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const ids = [await queued(await scheduler(), 71), await queued(await scheduler(), 72, 'active')];
    const other = await queued(await scheduler(), 73);
    const cancel = async () => {
      const { items } = await service.client.cancelUnneededAllocations({ params: { id }, body: { ids } });
      return items.map(({ scheduler_id: job, status }) => [job, status]);
    };
    expect(await cancel()).toEqual([]);
    await end(jobs.get('a'));
    await take();
    expect(await cancel()).toEqual([[71, 'canceled']]);
    expect(await cancel()).toEqual([]);
    const { items } = await service.client.listScheduledComputeNodes({ query: { workflow_id: id } });
    expect(items.map(({ status }) => status)).toEqual(['canceled', 'active', 'pending']);
    expect(other).toBe(3);
  });

  it('an allocation that is planned is needed as one in the queue is, and one that is being submitted is left alone', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    const schedulerId = await scheduler();
    const common = { workflow_id: id, scheduler_id: 0, scheduler_config_id: schedulerId, scheduler_type: 'slurm' };
    const planned = { ...common, status: 'planned', plan: { allocations: 2 }, held: 'max_queued 1' };
    const { id: first } = await service.client.createScheduledComputeNode({ body: planned });
    await service.client.createScheduledComputeNode({ body: { ...common, status: 'submitting' } });
    const found = async () =>
      (await service.client.getUnclaimableJobs({ params: { id }, query: {} })).unneeded_allocations;
    expect(await found()).toEqual([]);
    await end(jobs.get('a'));
    await take();
    expect(await found()).toEqual([{ ...planned, id: first }]);
    const body = { ids: [1, 2] };
    const { items } = await service.client.cancelUnneededAllocations({ params: { id }, body });
    expect(items).toEqual([{ ...planned, id: first, status: 'canceled' }]);
  });

  it('one runner is asked to cancel allocations when the last job that they could run starts, and another one 20 s later', async () => {
    const jobs = await begun([{ name: 'a' }, { name: 'b', after: ['a'] }]);
    await queued(await scheduler(), 71);
    const reports = async (body: object = {}) =>
      (await exchange({ cancels_allocations: true, ...body })).has_unneeded_allocations === true;
    expect(await reports()).toBe(false);
    service.clock.now += 2_000;
    expect(await reports({ completed: [ended(jobs.get('a') as ClaimedJob)] })).toBe(false);
    await take();
    service.clock.now += 2_000;
    expect((await exchange({})).has_unneeded_allocations).toBeUndefined();
    expect(await reports()).toBe(true);
    service.clock.now += 19_000;
    expect(await reports()).toBe(false);
    service.clock.now += 1_000;
    expect(await reports()).toBe(true);
  });
});

it('what is left to run is read from indices of jobs that have not ended', () => {
  const plan = [...service.store.db.plan(kindsLeftSql), ...service.store.db.plan(sourcesSql)];
  expect(plan.filter((step) => step.includes(' job '))).toEqual([
    'SEARCH job USING COVERING INDEX job_ready (class_id=?)',
    'SEARCH job USING COVERING INDEX job_blocked (class_id=?)',
    'SEARCH job USING INDEX job_unsettled (workflow_id=? AND status=?)',
    'SEARCH job USING INDEX job_unsettled (workflow_id=? AND status=?)',
    'SEARCH job USING INDEX job_unsettled (workflow_id=? AND status=?)',
  ]);
});
