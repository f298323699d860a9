import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';
import { importedResults } from './facts/imported.ts';
import { standingOf, type WorkflowStanding } from './views/workflow-state.ts';

const PAGE = 1000;

/** How these workflows stand, by id; empty with a server that does not have the route. */
export async function workflowStandings(
  client: Client,
  ids: readonly number[],
  user: string | undefined,
): Promise<ReadonlyMap<number, WorkflowStanding>> {
  const found = new Map<number, WorkflowStanding>();
  if (ids.length === 0) return found;
  const wanted = new Set(ids);
  const last = smallest(ids);
  let before = greatest(ids) + 1;
  try {
    for (;;) {
      const { items, has_more: hasMore } = await client.listWorkflowOverviews({
        query: { user, before, limit: Math.min(PAGE, before - last) },
      });
      for (const each of items.filter(({ id }) => wanted.has(id))) {
        found.set(each.id, standingOf(each, await importedResults(client, each)));
      }
      before = items.at(-1)?.id ?? last;
      if (!hasMore || before <= last) return found;
    }
  } catch (error) {
    if (isUnknownRoute(error)) return found;
    throw error;
  }
}
