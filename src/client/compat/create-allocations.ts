import type { NewScheduledComputeNode, ScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { Client } from '../client.ts';
import { withSubstitute } from './unknown-route.ts';

interface Created {
  readonly records: readonly ScheduledComputeNode[];
  /** Whether the server stores their plans. */
  readonly arePlanned: boolean;
}

/**
 * Creates records of planned allocations, all or none.
 *
 * On Torc's own server, which stores no plans, they are created one by one, and each is `submitting`.
 */
export function createAllocations(client: Client, planned: readonly NewScheduledComputeNode[]): Promise<Created> {
  const created = client.createScheduledComputeNodes({ body: { scheduled_compute_nodes: [...planned] } });
  return withSubstitute<Created>(
    created.then(({ scheduled_compute_nodes: records }) => ({ records, arePlanned: true })),
    async () => {
      const records: ScheduledComputeNode[] = [];
      for (const each of planned) {
        const body = { ...each, status: 'submitting' };
        const { id } = await client.createScheduledComputeNode({ body });
        records.push({ ...body, id });
      }
      return { records, arePlanned: false };
    },
  );
}
