import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { isUnknownRoute } from '../../client/errors.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { underLease } from '../recovery-lease.ts';

/**
 * Plans one allocation in the place of each lost one, from the same scheduler; whoever submits what is planned submits it.
 * Returns how many.
 *
 * Each is replaced once, whoever asks and how often: the new record names the lost one. On Torc's own server, which stores
 * no plans, none is. Throws `RECOVERY_ACTIVE` while another command submits allocations of the workflow.
 */
export async function replaceLost(client: Client, workflowId: number, lost: readonly number[]): Promise<number> {
  return underLease(client, { workflowId, command: 'watch' }, async () => {
    const rows = await all((page) => client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...page } }));
    const asked = new Set(lost);
    for (const { plan } of rows) asked.delete(plan?.replaces ?? 0);
    const records = rows.flatMap((row) => (asked.has(row.id as number) ? inPlaceOf(row) : []));
    if (records.length === 0) return 0;
    try {
      await client.createScheduledComputeNodes({ body: { scheduled_compute_nodes: records } });
    } catch (error) {
      if (!isUnknownRoute(error)) throw error;
      return 0;
    }
    const data = {
      category: 'scheduler',
      action: 'replace_lost_allocations',
      message: `Planned ${records.length} allocation(s) in the place of lost ones`,
      allocations: records.length,
    };
    await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
    return records.length;
  });
}

function inPlaceOf({ id, plan, ...row }: ScheduledComputeNode): ScheduledComputeNode[] {
  if (!plan) return [];
  const { action_id: _, ...request } = plan;
  const { workflow_id, scheduler_config_id, scheduler_type } = row;
  const common = { workflow_id, scheduler_config_id, scheduler_type };
  return [
    {
      ...common,
      scheduler_id: 0,
      status: 'planned',
      plan: { ...request, allocations: 1, replaces: id as number },
    },
  ];
}
