import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { Slurm } from '../../cluster/slurm/slurm.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { submissionOf, tokenOf } from './submit-allocations.ts';

export interface Canceled {
  readonly jobIds: number[];
  readonly errors: string[];
}

/** Statuses of allocations that have not ended. */
const OPEN = ['submitting', 'pending', 'active'];

/** The allocations of a workflow that wait or run, as far as the server knows. */
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
  slurm: Slurm,
  workflowId: number,
  allocations: readonly ScheduledComputeNode[],
): Promise<Canceled> {
  const canceled: Canceled = { jobIds: [], errors: [] };
  const workflow = allocations.length === 0 ? undefined : await client.getWorkflow({ params: { id: workflowId } });
  for (const record of allocations) {
    const id = record.id as number;
    try {
      const isSubmitting = record.status === 'submitting' && workflow !== undefined;
      const job = isSubmitting ? await submissionOf(slurm, tokenOf(record, workflow)) : { jobId: record.scheduler_id };
      if ('jobId' in job) {
        await slurm.cancel(job.jobId);
        canceled.jobIds.push(job.jobId);
      }
      // Its submitter reads this status after sbatch, and cancels the job that nobody saw yet.
      await client.updateScheduledComputeNode({ params: { id }, body: { ...record, status: 'canceled' } });
    } catch (error) {
      canceled.errors.push(`allocation ${record.scheduler_id}: ${(error as Error).message}`);
    }
  }
  return canceled;
}
