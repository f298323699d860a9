import type { Store } from '../../records/store.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { InitializeQueries } from '../initialize/queries.ts';
import { cancelDoomed, countPages, overUserData, spreadDownstream } from '../initialize/unmet.ts';
import type { UpdateQueries } from './queries.ts';

const PAGE = 256;

/**
 * Gives the jobs that an update has made uninitialized, and everything downstream of them, their status; returns the
 * number of ready ones. All others keep theirs: runners may work on them.
 *
 * Everything is derived from the statuses, so it may start again after any step.
 */
export const createSettle = (store: Store, queries: UpdateQueries, initialize: InitializeQueries) => {
  const { windows } = store;

  return function* settle(workflowId: number, runId: number, sparesEnded: boolean): WorkSteps<number> {
    const reset = (id: number) => void queries.runAgain.run({ id, runId });
    yield* spreadDownstream(initialize, windows, workflowId, { reset, sparesEnded });
    // A changed value is no reason any more when everything that reads it runs again.
    yield* overUserData(initialize, workflowId, (window) => void queries.rememberUserData.run(window));
    queries.rearmActions.run({ workflowId });
    yield* windows.within(workflowId, PAGE, function* (window) {
      for (const { id } of queries.uninitialized.all(window)) yield* countPages(initialize, id);
    });
    yield* windows.over(workflowId, (window) => void queries.block.run(window));
    yield* cancelDoomed(store, initialize, workflowId);
    let ready = 0;
    yield* windows.over(workflowId, (window) => {
      ready += queries.makeReady.run(window);
    });
    return ready;
  };
};
