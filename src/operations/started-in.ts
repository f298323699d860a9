import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import { slurmJobOf } from './orphans/find.ts';

/** Whether a job has a result of one of these allocations, by their ids in Slurm. */
export async function hasStartedIn(
  client: Client,
  workflowId: number,
  allocations: readonly number[],
): Promise<boolean> {
  const query = { workflow_id: workflowId };
  const wanted = new Set(allocations);
  const nodes = await all((page) => client.listComputeNodes({ query: { ...query, ...page } }));
  for (const node of nodes) {
    if (!wanted.has(slurmJobOf(node) ?? 0)) continue;
    const of = { ...query, compute_node_id: node.id as number, all_runs: true, limit: 1 };
    if ((await client.listResults({ query: of })).items.length > 0) return true;
  }
  return false;
}
