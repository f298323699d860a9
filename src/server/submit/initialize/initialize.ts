import type { Store } from '../../records/store.ts';
import { restartable, type WorkSteps, type Work } from '../../store/work.ts';
import { EdgeBlock } from '../../records/job/edge-block.ts';
import { refuseCircle } from './circle.ts';
import { describeCrate } from './crate.ts';
import { EdgeList, newEdges, refuseTooMany } from './implied.ts';
import type { InitializeQueries } from './queries.ts';
import { cancelDoomed, countUnmet, overUserData, spreadDownstream } from './unmet.ts';

/** The state from which an initialization continues after a restart. */
export interface Initialization {
  readonly only: boolean;
  /** Jobs that wait for a decision stay as they are. Torc makes them ready. */
  readonly keepsUndecided?: boolean | undefined;
  /** The task that reports its progress, if there is one. */
  readonly taskId?: number | undefined;
}

/**
 * Makes the jobs of a workflow ready or blocked, according to their dependencies, and returns the number of ready ones.
 *
 * `only` changes only uninitialized jobs, and everything downstream of them. Everything is derived from the statuses of
 * the jobs, so it may start again after any step. `onDone` is called in the last slice.
 */
export const createInitialize = (
  store: Store,
  queries: InitializeQueries,
  onDone: (taskId: number) => void,
): ((workflowId: number, asked: Initialization) => Work<number>) => {
  const { find, changes, windows, releases } = store;

  function* steps(workflowId: number, { only, keepsUndecided = false, taskId }: Initialization): WorkSteps<number> {
    const workflow = find.workflow(workflowId);
    const { user, run_id: runId } = workflow;
    const of = { workflowId };
    const flags = { onlyUninitialized: Number(only) };
    releases.forget(workflowId);
    const wasTerminated = (queries.terminatedCount.get(of)?.jobs ?? 0) > 0;
    yield* imply(workflowId);
    if (only)
      yield* spreadDownstream(queries, windows, workflowId, { reset: (id) => void queries.unsettle.run({ id }) });
    // Jobs that become blocked here no longer count as ended if they were terminated, which changes what others wait
    // for: those are counted first, as if they still had ended.
    if (wasTerminated) {
      yield* countUnmet(queries, windows, workflowId, () => {});
      yield* windows.over(workflowId, (window) => void queries.block.run({ ...window, ...flags }));
    } else {
      yield* countUnmet(queries, windows, workflowId, (window) => void queries.block.run({ ...window, ...flags }));
    }
    if (queries.hasUnsuccessful.get(of) !== undefined) yield* cancelDoomed(store, queries, workflowId);
    yield* windows.over(workflowId, (window) => {
      const given = { ...window, keepsUndecided: Number(keepsUndecided) };
      queries.makeReady.run(given);
      queries.dropResults.run(given);
    });
    // Terminated jobs counted as ended until here, and run again: jobs that also wait for others now wait for them too.
    if (wasTerminated) yield* countUnmet(queries, windows, workflowId, () => {});
    yield* overUserData(queries, workflowId, (window) => void queries.rememberUserData.run(window));
    yield* describeCrate(queries, workflow);
    queries.dropRecoveryActions.run(of);
    if (!only) queries.dropPlanned.run(of);
    queries.countTriggers.run(of);
    queries.rearmActions.run({ ...of, ...flags });

    const ready = queries.readyCount.get(of)?.jobs ?? 0;
    // The names of these two are those of Torc 1.0.0, which has them the wrong way round.
    const type = only ? 'workflow_started' : 'workflow_reinitialized';
    changes.record(workflowId, type, [
      { category: 'workflow', type, user, message: `${ready} jobs are ready in run ${runId}`, run_id: runId },
    ]);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    if (taskId !== undefined) onDone(taskId);
    return ready;
  }

  /** Adds dependencies implied by files and user data; a circle is refused before anything is written. */
  function* imply(workflowId: number): WorkSteps {
    yield* refuseTooMany(queries.implied, workflowId);
    const found = new EdgeList();
    for (const kind of queries.implied) yield* newEdges(kind, windows, workflowId, found);
    if (found.length === 0) return;
    yield* refuseCircle(queries, windows, workflowId, found);
    const block = new EdgeBlock();
    for (let index = 0; index < found.length; index += 1) {
      const { jobId, otherId } = found.at(index);
      block.add(jobId, otherId);
      if (!block.isFull && index < found.length - 1) continue;
      for (const edges of block.take()) {
        queries.dependOn(edges.map((edge) => ({ ...edge, workflowId })));
        yield;
      }
    }
  }

  return restartable(store.works, 'initialize_jobs', steps);
};
