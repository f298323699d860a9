import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import { slurmJobOf } from '../orphans/find.ts';

/** Whether a job has a result of one of these allocations. */
export async function hasStartedIn(
  client: Client,
  workflowId: number,
  allocations: readonly SlurmJob[],
): Promise<boolean> {
  const query = { workflow_id: workflowId };
  const wanted = new Set<SlurmJob>(allocations);
  const records = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  // A task of a job array got an id of its own when it started.
  for (const record of records) if (wanted.has(jobOfAllocation(record))) wanted.add(record.scheduler_id);
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  for (const node of nodes) {
    if (!wanted.has(slurmJobOf(node) ?? 0)) continue;
    const of = { ...query, compute_node_id: node.id, all_runs: true, limit: 1 };
    if ((await client.listResults({ query: of })).items.length > 0) return true;
  }
  return false;
}
