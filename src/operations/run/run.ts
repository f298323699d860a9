import type { Client } from '../../client/client.ts';
import { isUnknownRoute } from '../../client/compat/unknown-route.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import type { Rerun } from '../../core/lifecycle/recover/rerun.ts';
import { initialize, type InitializeOptions } from './initialize.ts';
import type { Resumed } from './resume.ts';

interface PrepareOptions extends Pick<InitializeOptions, 'report'> {
  /** Which jobs of an earlier run are made ready again: none, those that were interrupted, or also those that failed. */
  readonly again: 'none' | 'interrupted' | 'failed';
}

/** What was made ready. */
export type Prepared =
  | Resumed
  | { readonly kind: 'initialized' }
  | { readonly kind: 'as it was' }
  /** Jobs whose inputs, outputs or values have changed since they ended, and those behind them. */
  | { readonly kind: 'changed'; readonly run: readonly Rerun[] };

/**
 * Prepares a workflow for a runner: initializes one that never was, and makes jobs of an earlier run ready again: those that are asked
 * for, or in a workflow that has ended those that are not up to date.
 */
export async function prepareRun(client: Client, id: number, { again, report }: PrepareOptions): Promise<Prepared> {
  const { is_uninitialized: isFresh } = await client.isUninitialized({ params: { id } });
  if (isFresh) {
    await initialize(client, id, { force: false, report });
    return { kind: 'initialized' };
  }
  if (again === 'none') return prepareChangedJobs(client, id);
  const { resume } = await import('./resume.ts');
  return resume(client, id, { retriesFailed: again === 'failed', report });
}

/** While anything of the workflow is left to do, its files are read and written: what they say of jobs that ended changes. */
async function prepareChangedJobs(client: Client, id: number): Promise<Prepared> {
  const status = await client.getWorkflowStatus({ params: { id } });
  const runners = status.active_compute_nodes + status.active_scheduled_nodes + status.pending_scheduled_nodes;
  const isAtRest = status.is_complete && !status.is_canceled && runners + countOf(status.jobs_by_status, HELD) === 0;
  if (!isAtRest || status.total_jobs === 0) return { kind: 'as it was' };
  const { rerunChanged } = await import('../update/update-plan.ts');
  try {
    const run = await rerunChanged(client, id);
    return run.length === 0 ? { kind: 'as it was' } : { kind: 'changed', run };
  } catch (error) {
    // On Torc's own server a run goes on where it was: it cannot make single jobs ready.
    if (isUnknownRoute(error)) return { kind: 'as it was' };
    throw error;
  }
}
