import type { Client } from '../../client/client.ts';
import type { Slurm } from '../../cluster/slurm/slurm.ts';
import { cancelAllocations, openAllocations } from './cancel-allocations.ts';

/**
 * Cancels the queued allocations of a workflow in which no job is ready, pending or running, and says so in one event.
 *
 * Jobs that are blocked do not count: what could make them ready has ended. An allocation that cannot be canceled keeps
 * its record. Returns the ids of the canceled jobs of Slurm.
 */
export async function cancelUnneeded(client: Client, slurm: Slurm, workflowId: number): Promise<number[]> {
  const { jobs_by_status: jobs } = await client.getWorkflowStatus({ params: { id: workflowId } });
  if (jobs.ready + jobs.pending + jobs.running > 0) return [];
  const queued = (await openAllocations(client, workflowId)).filter(({ status }) => status === 'pending');
  if (queued.length === 0) return [];
  // One that started meanwhile has a runner, which ends by itself.
  const states = await slurm.statesOf(queued.map(({ scheduler_id: id }) => id));
  const waiting = queued.filter(({ scheduler_id: id }) => states.get(id)?.state !== 'running');
  const { jobIds } = await cancelAllocations(client, slurm, workflowId, waiting);
  if (jobIds.length === 0) return [];
  const data = {
    category: 'scheduler',
    action: 'cancel_unneeded_pending_allocations',
    message: `Canceled ${jobIds.length} queued allocation(s): no job is left for them`,
    num_canceled: jobIds.length,
    slurm_job_ids: jobIds.map(String),
  };
  await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
  return jobIds;
}
