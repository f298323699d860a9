import type { Caller } from '../caller.ts';
import type { Store } from '../records/store.ts';
import type { NoteAction } from '../records/event/user-action.ts';
import { spreadOver } from '../store/rows.ts';
import { restartable, type WorkSteps } from '../store/work.ts';
import { createResetDownstream, JOBS_A_STEP } from './downstream.ts';
import { jobMarks } from './marks.ts';
import type { RecoverQueries } from './queries.ts';

interface ResetRequest {
  readonly dryRun: boolean;
  readonly caller: Caller;
}

/**
 * Makes the jobs uninitialized that were interrupted, with everything downstream of them, and says how many were interrupted.
 *
 * Interrupted are the jobs that were terminated, and those that were canceled, but for the ones that were canceled because a job
 * failed which stays failed: an initialization would run them, as if that job had gone well.
 *
 * It may begin anew after any step: the downstream comes first, and as long as a job is not reset its status says what it was.
 */
export const createResetInterrupted = (store: Store, queries: RecoverQueries, noteAction: NoteAction) => {
  const { changes, find, windows, works } = store;
  const resetDownstream = createResetDownstream(store, queries);
  const { interrupted } = queries;

  function* steps(id: number, { dryRun, caller }: ResetRequest): WorkSteps<number> {
    find.run(id);
    const isKept = yield* canceledByFailures(id);
    const isInterrupted = (jobId: number) => !isKept(jobId);
    if (!dryRun) yield* resetDownstream(id, interrupted, isInterrupted);
    let count = 0;
    yield* windows.within(id, JOBS_A_STEP, function* (window) {
      for (const { id: jobId } of interrupted.all.all(window)) {
        if (!isInterrupted(jobId)) continue;
        count += 1;
        if (!dryRun) interrupted.resetOne.run({ id: jobId });
      }
      yield;
    });
    if (dryRun) return count;
    if (count > 0) changes.record(id, 'jobs_reset', [{ jobs: count, cause: 'reset_interrupted_jobs' }]);
    noteAction(id, caller, 'reset_interrupted_jobs', { updated_count: count });
    return count;
  }

  /** The canceled jobs that wait for a job which failed, directly or over others that were canceled for it. */
  function* canceledByFailures(workflowId: number): WorkSteps<(id: number) => boolean> {
    const marks = jobMarks(queries, workflowId);
    if (marks === undefined) return () => false;
    const meet = ({ id }: { readonly id: number }) => marks.add(id);
    yield* spreadOver(windows, workflowId, {
      limit: JOBS_A_STEP,
      begin: (window) => interrupted.canceledByFailure.all(window).filter(meet),
      dependents: interrupted.canceledDependents.all,
      meet,
    });
    return marks.has;
  }

  const work = restartable(works, 'reset_interrupted', steps);
  return (id: number, dryRun: boolean, caller: Caller) => work(id, { dryRun, caller });
};
