import type { JobStatusCounts } from '../../core/contract/job.ts';
import { countOf, STOPPED } from '../../core/job/statuses.ts';
import { interruptedOf } from '../../core/lifecycle/recover/interrupted-jobs.ts';
import type { Client } from '../client.ts';
import { all } from '../every.ts';
import { inParallel } from './in-parallel.ts';
import { withSubstitute } from './unknown-route.ts';

/** Requests in flight at once where the server resets job by job. */
const TOGETHER = 32;

/** How many jobs were interrupted: terminated, or canceled but not because a job failed. */
export async function countInterrupted(client: Client, workflowId: number, counts: JobStatusCounts): Promise<number> {
  if (countOf(counts, STOPPED) === 0) return 0;
  const counted = client.resetInterruptedJobs({ params: { id: workflowId }, query: { dry_run: true } });
  return withSubstitute(
    counted.then(({ updated_count: jobs }) => jobs),
    async () => (await found(client, workflowId)).length,
  );
}

/** Makes them uninitialized. Torc's own server has no route for this: there they are reset one by one. */
export async function reset(client: Client, workflowId: number, runId: number): Promise<void> {
  const done = client.resetInterruptedJobs({ params: { id: workflowId }, query: {} });
  await withSubstitute<unknown>(done, async () =>
    inParallel(await found(client, workflowId), TOGETHER, (id) =>
      client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId } }),
    ),
  );
}

async function found(client: Client, workflowId: number): Promise<number[]> {
  const jobs = await all((page) => client.listJobs({ query: { workflow_id: workflowId, ...page } }));
  const edges = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  return interruptedOf(jobs, edges);
}
