import type { Client } from '../client/client.ts';

/** How jobs of a workflow run: in allocations that torc submits, in those that a person submits, or on any machine. */
export type RunsIn = 'allocations' | 'scripts' | 'anywhere';

/** Schedulers say that torc submits its allocations; without them, the last runner says where jobs run. */
export async function runsIn(
  client: Pick<Client, 'listSlurmSchedulers' | 'listComputeNodes'>,
  workflowId: number,
): Promise<RunsIn> {
  const query = { workflow_id: workflowId, limit: 1 };
  if ((await client.listSlurmSchedulers({ query })).items.length > 0) return 'allocations';
  const last = await client.listComputeNodes({ query: { ...query, sort_by: 'id', reverse_sort: true } });
  return last.items[0]?.compute_node_type === 'slurm' ? 'scripts' : 'anywhere';
}
