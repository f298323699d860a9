import type { Client } from '../../client/client.ts';
import { markUnneeded, unneededAllocations } from '../../client/compat/unneeded-allocations.ts';
import type { BatchQueue } from '../../cluster/batch/batch-system.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';

/**
 * Cancels the planned and queued allocations of a workflow for which no work is left or to come, and says so in one event.
 *
 * The server decides which these are, and marks them before scancel: so of two callers only one cancels an allocation. One
 * that cannot be canceled is queued again in its record. Returns the ids of the canceled jobs of Slurm.
 */
export async function cancelUnneeded(client: Client, slurm: BatchQueue, workflowId: number): Promise<SlurmJob[]> {
  const found = await unneededAllocations(client, workflowId);
  if (found.length === 0) return [];
  const states = await slurm.statesOf(found.flatMap(jobOf));
  // One that started meanwhile has a runner, which ends by itself; the records of those that ended are corrected elsewhere.
  const isWaiting = (each: ScheduledComputeNode) =>
    !['running', 'ended'].includes(states.get(jobOfAllocation(each))?.state ?? '');
  const waiting = found.filter(isWaiting);
  const canceled = waiting.length === 0 ? [] : await markUnneeded(client, workflowId, waiting);
  if (canceled.length === 0) return [];
  const jobIds = canceled.flatMap(jobOf);
  try {
    if (jobIds.length > 0) await slurm.cancelQueued(jobIds);
  } catch (error) {
    for (const record of canceled) if (jobOf(record).length > 0) await update(client, { ...record, status: 'pending' });
    throw error;
  }
  const data = {
    category: 'scheduler',
    action: 'cancel_unneeded_pending_allocations',
    message: `Canceled ${canceled.length} queued allocation(s): no job is left that could run in them`,
    num_canceled: canceled.length,
    slurm_job_ids: jobIds.map(String),
  };
  await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
  return jobIds;
}

/** Its job; none if it was planned and not submitted yet. */
function jobOf(record: ScheduledComputeNode): SlurmJob[] {
  const job = jobOfAllocation(record);
  return job === 0 ? [] : [job];
}

const update = (client: Client, record: ScheduledComputeNode) =>
  client.updateScheduledComputeNode({ params: { id: record.id }, body: record });
