import type { Caller } from '../caller.ts';
import type { Store } from '../records/store.ts';
import type { NoteAction } from '../records/event/user-action.ts';
import { restartable, type WorkSteps } from '../store/work.ts';
import { createResetDownstream } from './downstream.ts';
import type { RecoverQueries } from './queries.ts';

/** The state from which a reset continues after a restart. */
interface Reset {
  readonly failedOnly: boolean;
  readonly caller: Caller;
  /** The number of its jobs, without the downstream ones; known from the first slice on. */
  count?: number;
}

/**
 * Makes jobs uninitialized: all, or those that failed and everything downstream of them. Returns their number, without
 * the downstream ones.
 *
 * Downstream jobs come first: as long as the failed jobs keep their status, the reset can start again after a restart.
 */
export const createResetJobs = (store: Store, queries: RecoverQueries, noteAction: NoteAction) => {
  const { changes, find, windows, works } = store;
  const resetDownstream = createResetDownstream(store, queries);

  function* steps(id: number, reset: Reset): WorkSteps<number> {
    find.run(id);
    const { failedOnly, caller } = reset;
    reset.count ??= (failedOnly ? queries.failed.count : queries.allJobs).get({ workflowId: id })?.jobs ?? 0;
    const { count } = reset;
    if (failedOnly) yield* resetDownstream(id, queries.failed);
    const act = failedOnly ? queries.failed.reset : queries.resetAll;
    yield* windows.over(id, (window) => void act.run(window));
    if (count > 0) changes.record(id, 'jobs_reset', [{ jobs: count, cause: 'reset_job_status' }]);
    noteAction(id, caller, 'reset_job_status', { failed_only: failedOnly, updated_count: count });
    return count;
  }

  const work = restartable(works, 'reset_jobs', steps);
  return (id: number, failedOnly: boolean, caller: Caller) => work(id, { failedOnly, caller });
};
