import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { NewScheduledComputeNode, ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { underLease } from './recovery-lease.ts';
import { planOf, requestOfRecord } from '../../core/allocation/request.ts';

/**
 * Plans a replacement for each lost allocation, with the same scheduler, and returns the number of replacements. The next
 * command that submits planned allocations submits them.
 *
 * The record of a replacement names the lost allocation, so that each is replaced once. On Torc's own server, which stores
 * no plans, no allocation is replaced. Throws `RECOVERY_ACTIVE` while another command submits allocations of the workflow.
 */
export async function replaceLost(client: Client, workflowId: number, lost: readonly number[]): Promise<number> {
  return underLease(client, { workflowId, command: 'watch' }, async () => {
    const rows = await all((page) => client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...page } }));
    const asked = new Set(lost);
    for (const { plan } of rows) asked.delete(plan?.replaces ?? 0);
    const records = rows.flatMap((row) => (asked.has(row.id) ? replacementOf(row) : []));
    if (records.length === 0) return 0;
    await client.createScheduledComputeNodes({ body: { scheduled_compute_nodes: records } });
    const data = {
      category: 'scheduler',
      action: 'replace_lost_allocations',
      message: `Planned ${records.length} allocation(s) to replace lost ones`,
      allocations: records.length,
    };
    await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
    return records.length;
  });
}

/** Torc's own server stores no plans. */
function replacementOf(row: ScheduledComputeNode): NewScheduledComputeNode[] {
  if (!row.plan) return [];
  const { workflow_id, scheduler_config_id, scheduler_type } = row;
  const plan = { ...planOf({ ...requestOfRecord(row), allocations: 1 }), replaces: row.id };
  return [{ workflow_id, scheduler_config_id, scheduler_type, scheduler_id: 0, status: 'planned', plan }];
}
