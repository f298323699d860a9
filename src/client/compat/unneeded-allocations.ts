import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { countOf, UNDER_WAY } from '../../core/job/statuses.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { withSubstitute } from './unknown-route.ts';

/**
 * The queued allocations of a workflow for which no work is left or to come.
 *
 * Torc's own server does not know these. There all wait for the last job: what could make blocked jobs ready has ended then.
 */
export function unneededAllocations(client: Client, workflowId: number): Promise<readonly ScheduledComputeNode[]> {
  const params = { id: workflowId };
  const found = client.getUnclaimableJobs({ params, query: {} });
  return withSubstitute<readonly ScheduledComputeNode[]>(
    found.then(({ unneeded_allocations: unneeded }) => unneeded),
    async () => {
      const { jobs_by_status: jobs } = await client.getWorkflowStatus({ params });
      if (countOf(jobs, UNDER_WAY) > 0) return [];
      const query = { workflow_id: workflowId, status: 'pending' };
      const records = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
      return records.filter(({ scheduler_type: type }) => type === 'slurm');
    },
  );
}

/** Marks those of these allocations as canceled that are not needed, and returns them; on Torc's own server all of them. */
export function markUnneeded(
  client: Client,
  workflowId: number,
  records: readonly ScheduledComputeNode[],
): Promise<readonly ScheduledComputeNode[]> {
  const body = { ids: records.map(({ id }) => id) };
  const marked = client.cancelUnneededAllocations({ params: { id: workflowId }, body });
  return withSubstitute<readonly ScheduledComputeNode[]>(
    marked.then(({ items }) => items),
    async () => {
      for (const record of records) {
        const change = { ...record, status: 'canceled' };
        await client.updateScheduledComputeNode({ params: { id: record.id }, body: change });
      }
      return records;
    },
  );
}
