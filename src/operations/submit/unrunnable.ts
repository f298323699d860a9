import type { Client } from '../../client/client.ts';
import type { Unclaimable } from '../../core/contract/unclaimable.ts';

/**
 * The ready jobs that no allocation of the workflow's Slurm schedulers could ever run; undefined if the server does not know the
 * question: an older one answers for runners, and Torc's own not at all.
 */
export async function unrunnableJobs(client: Client, workflowId: number): Promise<Unclaimable | undefined> {
  const params = { id: workflowId };
  const left = await client.getUnclaimableJobs({ params, query: { in_allocations: true } }).catch(() => undefined);
  return left === undefined || left.compute_node_ids.length > 0 ? undefined : left;
}
