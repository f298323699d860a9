import type { Client } from '../client.ts';
import { withSubstitute } from './unknown-route.ts';

interface Change {
  readonly from: string;
  readonly status: string;
  readonly held?: string | undefined;
  readonly scheduler_id?: number | undefined;
  readonly array_job_id?: number | undefined;
  readonly array_record_id?: number | undefined;
  readonly max_queued?: number | undefined;
}

/**
 * Changes those of these allocations that still have the status `from`, and returns their ids: of two commands that change
 * the same one, one does.
 *
 * Torc's own server has no such route. There the records are read and changed one by one, and two commands at once may both
 * change one.
 */
export async function changeAllocations(
  client: Client,
  workflowId: number,
  ids: readonly number[],
  change: Change,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const request = async () => {
    const body = { ids: [...ids], ...change };
    return (await client.changeScheduledComputeNodes({ params: { id: workflowId }, body })).changed;
  };
  return withSubstitute(request(), () => changeOneByOne(client, ids, change));
}

async function changeOneByOne(
  client: Client,
  ids: readonly number[],
  { from, status, scheduler_id: schedulerId }: Change,
): Promise<number[]> {
  const changed: number[] = [];
  for (const id of ids) {
    const now = await client.getScheduledComputeNode({ params: { id } });
    if (now.status !== from) continue;
    const body = { ...now, status, scheduler_id: schedulerId ?? now.scheduler_id };
    await client.updateScheduledComputeNode({ params: { id }, body });
    changed.push(id);
  }
  return changed;
}
