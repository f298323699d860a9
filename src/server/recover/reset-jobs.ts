import { IntList } from '../../core/spec/int-list.ts';
import type { Caller } from '../store/caller.ts';
import type { Store } from '../store/store.ts';
import type { NoteAction } from '../store/user-action.ts';
import type { Steps, Work } from '../store/work.ts';
import { createMarks } from './marks.ts';
import type { RecoverQueries } from './queries.ts';

/** What a reset goes on with after a restart. */
interface Reset {
  readonly failedOnly: boolean;
  readonly caller: Caller;
  /** How many jobs it is about, without the downstream; known from its beginning on. */
  count?: number;
}

/**
 * Makes jobs uninitialized: all, or those that failed and everything downstream of them. Says how many, without the downstream.
 *
 * The downstream comes first: as long as the jobs that failed still say so, the reset can begin anew after a restart.
 */
export const createResetJobs = (store: Store, queries: RecoverQueries, noteAction: NoteAction) => {
  const { changes, find, windows, works } = store;

  function* steps(id: number, reset: Reset): Steps<number> {
    find.run(id);
    const { failedOnly, caller } = reset;
    reset.count ??= (failedOnly ? queries.failedJobs : queries.allJobs).get({ workflowId: id })?.jobs ?? 0;
    const { count } = reset;
    if (failedOnly) yield* resetDownstream(id);
    const act = failedOnly ? queries.resetFailed : queries.resetAll;
    yield* windows.over(id, (window) => void act.run(window));
    if (count > 0) changes.record(id, 'jobs_reset', [{ jobs: count, cause: 'reset_job_status' }]);
    noteAction(id, caller, 'reset_job_status', { failed_only: failedOnly, updated_count: count });
    return count;
  }

  /** Each job is looked at once, however many ways lead to it. */
  function* resetDownstream(workflowId: number): Steps {
    const ids = queries.idRange.get({ workflowId });
    if (ids === undefined || ids.first === null || ids.last === null) return;
    const marks = createMarks(ids.first, ids.last);
    const found = new IntList();
    function* spread(id: number): Steps {
      for (let after = 0; ;) {
        const page = queries.dependants.all({ id, after, limit: PAGE });
        for (const { id: dependant } of page) {
          if (!marks.add(dependant)) continue;
          queries.resetDependant.run({ id: dependant });
          found.push(dependant);
        }
        yield;
        if (page.length < PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    }
    yield* windows.within(workflowId, PAGE, function* (window) {
      for (const { id } of queries.unsuccessful.all(window)) yield* spread(id);
    });
    for (let at = 0; at < found.length; at += 1) yield* spread(found.at(at));
  }

  const work = (workflowId: number, reset: Reset): Work<number> => ({
    workflowId,
    kind: 'reset_jobs',
    parameters: () => reset,
    steps: () => steps(workflowId, reset),
  });
  works.onRestart('reset_jobs', (id, reset: Reset) => work(id, reset));
  return (id: number, failedOnly: boolean, caller: Caller) => work(id, { failedOnly, caller });
};

/** Jobs that are looked at between two steps: about 1 ms. */
const PAGE = 256;
