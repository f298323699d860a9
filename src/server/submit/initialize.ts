import type { Store } from '../store/store.ts';
import { refuseCircle } from './circle.ts';
import { describeCrate } from './crate.ts';
import type { SubmitQueries } from './queries.ts';

/**
 * Makes the jobs of a workflow ready or blocked, from what they depend on.
 *
 * `onlyUninitialized` touches only jobs that are uninitialized, and everything downstream of them. Returns how many jobs
 * are ready then.
 */
export const initialize =
  ({ find, changes }: Store, queries: SubmitQueries) =>
  (workflowId: number, onlyUninitialized: boolean): number => {
    const workflow = find.workflow(workflowId);
    const { user, run_id: runId } = workflow;
    const of = { workflowId };
    const wasTerminated = (queries.terminatedCount.get(of)?.jobs ?? 0) > 0;
    const implied = queries.implyByFiles.run(of) + queries.implyByUserData.run(of);
    if (implied > 0) refuseCircle(queries, workflowId);
    if (onlyUninitialized) queries.spreadDownstream.run(of);
    queries.countUnmet.run(of);
    queries.block.run({ workflowId, onlyUninitialized: Number(onlyUninitialized) });
    while (queries.cancelDoomed.run(of) > 0) queries.countUnmet.run(of);
    queries.makeReady.run(of);
    // Terminated jobs were over until here, and run again: who waits for other jobs besides waits for them too.
    if (wasTerminated) queries.countUnmet.run(of);
    queries.dropResults.run(of);
    queries.rememberUserData.run(of);
    describeCrate(queries, workflow);
    queries.dropRecoveryActions.run(of);
    queries.countTriggers.run(of);
    queries.rearmActions.run({ workflowId, onlyUninitialized: Number(onlyUninitialized) });

    const ready = queries.readyCount.get(of)?.jobs ?? 0;
    // The names of these two are the original's, the wrong way round and kept.
    const type = onlyUninitialized ? 'workflow_started' : 'workflow_reinitialized';
    changes.record(workflowId, type, [
      { category: 'workflow', type, user, message: `${ready} jobs are ready in run ${runId}`, run_id: runId },
    ]);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    return ready;
  };
