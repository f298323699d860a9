import type { Client } from '../../../client/client.ts';
import type { WorkflowOverview } from '../../../core/contract/view.ts';
import { countOf, NOT_BEGUN } from '../../../core/job/statuses.ts';

/** The results that came with an imported workflow of which nothing has run here. */
export interface Imported {
  /** Jobs that had ended. */
  readonly ended: number;
  /** Those of them that had completed. */
  readonly completed: number;
}

type WorkflowCounts = Pick<WorkflowOverview, 'run_id' | 'total_jobs' | 'jobs_by_status'> & { readonly id: number };

/** The results of an imported workflow; undefined if it was imported without results, was not imported, or has run here. */
export async function importedResults(
  client: Pick<Client, 'listResults' | 'getWorkflow'>,
  { id, run_id: run, total_jobs: total, jobs_by_status: counts }: WorkflowCounts,
): Promise<Imported | undefined> {
  // An import with results counts its runs on from them, and leaves its jobs uninitialized.
  if (run === 0 || (counts.uninitialized ?? 0) === 0 || countOf(counts, NOT_BEGUN) < total) return undefined;
  const query = { workflow_id: id, limit: 1 };
  const { total_count: ended, items } = await client.listResults({
    query: { ...query, sort_by: 'id', reverse_sort: true },
  });
  const [last] = items;
  if (last === undefined) return undefined;
  // Jobs that were reset keep their results, too; those of another server are older than the workflow.
  const { timestamp } = await client.getWorkflow({ params: { id } });
  if (!(Date.parse(last.completion_time) < Date.parse(timestamp ?? ''))) return undefined;
  const { total_count: completed } = await client.listResults({ query: { ...query, status: 'completed' } });
  return { ended, completed };
}
