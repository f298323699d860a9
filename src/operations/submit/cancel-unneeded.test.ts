import { beforeEach, describe, expect, it } from 'vitest';
import { ended, started, testService, type TestService, workflowOf } from '../../../tests/support/service.ts';
import { ServiceError } from '../../client/errors.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { BatchQueue } from '../../cluster/batch/batch-system.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { cancelUnneeded } from './cancel-unneeded.ts';

let service: TestService;
let id: number;
let nodeId: number;
/** Ids of Slurm in the order in which scancel was called for them, and what it does. */
let canceled: SlurmJob[][];
let scancel: () => Promise<void>;

/** The task 80_1 and allocation 72 have started, and 73 has ended, before a runner of them has reported to the server; others wait in the queue. */
const slurm = {
  statesOf: async (ids: readonly SlurmJob[]) =>
    new Map(
      ids.map((jobId) => [
        jobId,
        { jobId, state: ({ 72: 'running', '80_1': 'running', 73: 'ended' } as const)[jobId] ?? 'queued', word: '' },
      ]),
    ),
  async cancelQueued(ids: readonly SlurmJob[]) {
    await scancel();
    canceled.push([...ids]);
  },
} as unknown as BatchQueue;

beforeEach(async () => {
  service = testService();
  ({ id, nodeId } = await workflowOf(service, [{ name: 'a' }, { name: 'b' }]));
  canceled = [];
  scancel = () => Promise.resolve();
  for (const job of [71, 72, 73, 74]) {
    const body = {
      workflow_id: id,
      scheduler_id: job,
      scheduler_config_id: 1,
      scheduler_type: 'slurm',
      status: 'pending',
    };
    await service.client.createScheduledComputeNode({ body });
  }
});

const exchange = (body: object) =>
  service.client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
const take = async (): Promise<ClaimedJob[]> => {
  const { jobs } = await exchange({ want: { limit: 9, prefetch: 0 } });
  await exchange({ started: jobs.map(started) });
  return jobs;
};
const statuses = async () =>
  (await service.client.listScheduledComputeNodes({ query: { workflow_id: id } })).items.map(({ status }) => status);
const events = async () =>
  (await service.client.listEvents({ query: { workflow_id: id, category: 'scheduler' } })).items.map(
    ({ data }) => data,
  );

describe('queued allocations', () => {
  it('queued allocations are canceled when the last job has started, in one call and with one event, but for those that have started or ended', async () => {
    expect(await cancelUnneeded(service.client, slurm, id)).toEqual([]);
    await take();
    expect(await cancelUnneeded(service.client, slurm, id)).toEqual([71, 74]);
    expect([canceled, await statuses()]).toEqual([[[71, 74]], ['canceled', 'pending', 'pending', 'canceled']]);
    expect(await events()).toEqual([
      {
        category: 'scheduler',
        action: 'cancel_unneeded_pending_allocations',
        message: 'Canceled 2 queued allocation(s): no job is left that could run in them',
        num_canceled: 2,
        slurm_job_ids: ['71', '74'],
      },
    ]);
  });

  it('queued allocations that are tasks of a job array are canceled each by its own name, and those that are planned without Slurm', async () => {
    const plan = { allocations: 3 };
    const common = { workflow_id: id, scheduler_config_id: 1, scheduler_type: 'slurm', plan };
    for (const task of [0, 1, 2]) {
      const body = { ...common, scheduler_id: 80, status: 'pending', array_job_id: 80, array_task_id: task };
      await service.client.createScheduledComputeNode({ body });
    }
    await service.client.createScheduledComputeNode({ body: { ...common, scheduler_id: 0, status: 'planned' } });
    await take();
    scancel = () => Promise.reject(new Error('Unable to contact slurm controller'));
    await expect(cancelUnneeded(service.client, slurm, id)).rejects.toThrow('Unable to contact');
    const pending = ['pending', 'pending', 'pending'];
    expect(await statuses()).toEqual(['pending', ...pending, ...pending, 'canceled']);
    const { items } = await service.client.listScheduledComputeNodes({ query: { workflow_id: id } });
    expect(items[4]).toMatchObject({ array_job_id: 80, array_task_id: 0, plan });
    scancel = () => Promise.resolve();
    expect(await cancelUnneeded(service.client, slurm, id)).toEqual([71, 74, '80_0', '80_2']);
    expect(canceled).toEqual([[71, 74, '80_0', '80_2']]);
  });

  it('queued allocations are canceled once by two that ask at the same time', async () => {
    await take();
    const both = await Promise.all([1, 2].map(() => cancelUnneeded(service.client, slurm, id)));
    expect(both.flat()).toEqual([71, 74]);
    expect([canceled.flat(), (await events()).length]).toEqual([[71, 74], 1]);
  });

  it('queued allocations stay in their records where scancel fails, and are canceled by the next call', async () => {
    await take();
    scancel = () => Promise.reject(new Error('Unable to contact slurm controller'));
    await expect(cancelUnneeded(service.client, slurm, id)).rejects.toThrow('Unable to contact');
    expect([await statuses(), await events()]).toEqual([['pending', 'pending', 'pending', 'pending'], []]);
    scancel = () => Promise.resolve();
    expect(await cancelUnneeded(service.client, slurm, id)).toEqual([71, 74]);
  });

  it('queued allocations stay when jobs have become ready since Slurm was asked', async () => {
    const [first] = await take();
    const late: BatchQueue = {
      ...slurm,
      async statesOf(ids) {
        await service.client.manageStatusChange({ params: { id: first?.id as number, status: 'ready', run_id: 1 } });
        return slurm.statesOf(ids);
      },
    };
    expect(await cancelUnneeded(service.client, late, id)).toEqual([]);
    expect(canceled).toEqual([]);
  });

  it('queued allocations of a server that does not say which are needed are canceled when no job is ready or runs', async () => {
    const unknown = () => Promise.reject(new ServiceError('asking', { status: 404, text: 'Not Found' }));
    const original = { ...service.client, getUnclaimableJobs: unknown, cancelUnneededAllocations: unknown };
    const jobs = await take();
    expect(await cancelUnneeded(original, slurm, id)).toEqual([]);
    await exchange({ completed: jobs.map((job) => ended(job)) });
    expect(await cancelUnneeded(original, slurm, id)).toEqual([71, 74]);
    expect(await statuses()).toEqual(['canceled', 'pending', 'pending', 'canceled']);
  });
});
