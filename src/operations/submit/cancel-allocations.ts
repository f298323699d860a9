import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { BatchQueue } from '../../cluster/batch/batch-system.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { submissionToken } from '../../core/allocation/names.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import { changeAllocations } from '../../client/compat/change-allocations.ts';
import { jobWith } from './send-script.ts';
import type { AllocationRecord } from './submit-tools.ts';

export interface Canceled {
  readonly jobIds: SlurmJob[];
  readonly errors: string[];
}

/** Statuses of allocations that have not ended. */
const OPEN = ['planned', 'submitting', 'pending', 'active'];

/** The allocations of a workflow that are planned, wait or run, as far as the server knows. */
export async function openAllocations(client: Client, workflowId: number): Promise<ScheduledComputeNode[]> {
  const rows = await all((page) => client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...page } }));
  return rows.filter(({ scheduler_type: type, status }) => type === 'slurm' && OPEN.includes(status));
}

/**
 * Cancels allocations in Slurm and marks their records and runners. One that cannot be canceled keeps its record and is
 * reported, and the others are canceled all the same.
 */
export async function cancelAllocations(
  client: Client,
  slurm: BatchQueue,
  workflowId: number,
  allocations: readonly ScheduledComputeNode[],
): Promise<Canceled> {
  const canceled: Canceled = { jobIds: [], errors: [] };
  for (const record of allocations as readonly AllocationRecord[]) {
    try {
      const job = await cancelOne({ client, slurm, workflowId }, record);
      if (job !== undefined) canceled.jobIds.push(job);
    } catch (error) {
      canceled.errors.push(`allocation ${jobOfAllocation(record)}: ${(error as Error).message}`);
    }
  }
  return canceled;
}

interface Tools {
  readonly client: Client;
  readonly slurm: BatchQueue;
  readonly workflowId: number;
}

/** The job that was canceled; undefined for an allocation that Slurm does not have. */
async function cancelOne(tools: Tools, record: AllocationRecord): Promise<SlurmJob | undefined> {
  const { client, slurm, workflowId } = tools;
  const { id, status } = record;
  const job =
    status === 'planned'
      ? undefined
      : status === 'submitting'
        ? await jobBehind(tools, record)
        : jobOfAllocation(record);
  if (job !== undefined) await slurm.cancel(job);
  // A submitter reads this status after sbatch, and cancels the job that no runner saw yet.
  const changed = await changeAllocations(client, workflowId, [id], { from: status, status: 'canceled' });
  if (changed.length > 0) return job;
  const now = (await client.getScheduledComputeNode({ params: { id } })) as AllocationRecord;
  // It was submitted, started or ended meanwhile.
  return OPEN.includes(now.status) && now.status !== status ? cancelOne(tools, now) : job;
}

/** The job of a record whose id is not stored yet, as squeue shows it. */
async function jobBehind({ client, slurm, workflowId }: Tools, { id, array_task_id: task }: AllocationRecord) {
  const { timestamp = '' } = await client.getWorkflow({ params: { id: workflowId } });
  const token = submissionToken(id - (task ?? 0), { id: workflowId, timestamp: timestamp ?? '' });
  const jobId = await jobWith(slurm, token);
  return jobId === undefined || task === undefined || task === null ? jobId : `${jobId}_${task}`;
}
