import { NOT_BEGUN } from '../../../core/job/statuses.ts';
import { IntList } from '../../../core/workflow-file/int-list.ts';
import { statusOf } from '../../../core/contract/job.ts';
import type { Store } from '../../records/store.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { InitializeQueries } from '../initialize/queries.ts';
import { countPages } from '../initialize/unmet.ts';
import type { UpdateQueries } from './queries.ts';

const PAGE = 256;

/**
 * Gives the jobs that an update has made uninitialized, and everything downstream of them, their status; returns the
 * number of ready ones. All others keep theirs: runners may work on them.
 *
 * Everything is derived from the statuses, so it may start again after any step.
 */
export const createSettle = (store: Store, queries: UpdateQueries, initialize: InitializeQueries) => {
  const { windows, releases, changes } = store;

  function* spread(workflowId: number, runId: number): WorkSteps {
    const found = new IntList();
    function* from(id: number): WorkSteps {
      for (let after = 0; ;) {
        const page = initialize.dependents.all({ id, after, limit: PAGE });
        for (const { id: dependent, status } of page) {
          if (NOT_BEGUN.has(statusOf(status))) continue;
          queries.runAgain.run({ id: dependent, runId });
          found.push(dependent);
        }
        yield;
        if (page.length < PAGE) return;
        after = page.at(-1)?.id ?? after;
      }
    }
    yield* windows.within(workflowId, PAGE, function* (window) {
      for (const { id } of initialize.uninitialized.all(window)) yield* from(id);
    });
    for (let at = 0; at < found.length; at += 1) yield* from(found.at(at));
  }

  return function* settle(workflowId: number, runId: number): WorkSteps<number> {
    yield* spread(workflowId, runId);
    queries.rearmActions.run({ workflowId });
    yield* windows.within(workflowId, PAGE, function* (window) {
      for (const { id } of queries.uninitialized.all(window)) yield* countPages(initialize, id);
    });
    yield* windows.over(workflowId, (window) => void queries.block.run(window));
    yield* windows.over(workflowId, (window) => {
      const doomed = initialize.doomed.all(window);
      if (doomed.length === 0) return;
      const canceled = releases.cancel(workflowId, doomed, 'a job that it waited for did not succeed');
      changes.record(workflowId, 'job_canceled', canceled);
    });
    yield* releases.drain(workflowId);
    let ready = 0;
    yield* windows.over(workflowId, (window) => {
      ready += queries.makeReady.run(window);
    });
    return ready;
  };
};
