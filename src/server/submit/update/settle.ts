import type { Store } from '../../records/store.ts';
import type { WorkSteps } from '../../store/work.ts';
import type { InitializeQueries } from '../initialize/queries.ts';
import { cancelDoomed, countPages, spreadDownstream } from '../initialize/unmet.ts';
import type { UpdateQueries } from './queries.ts';

const PAGE = 256;
const A_FEW = 32;

/**
 * Gives the jobs that an update has made uninitialized, and everything downstream of them, their status; returns the
 * number of ready ones. All others keep theirs: runners may work on them.
 *
 * Everything is derived from the statuses, so it may start again after any step.
 */
export const createSettle = (store: Store, queries: UpdateQueries, initialize: InitializeQueries) => {
  const { windows } = store;

  /** A changed value is no reason any more when everything that reads it runs again. Values may be large: a few at a time. */
  function* rememberUserData(workflowId: number): WorkSteps {
    for (let after = 0; ;) {
      const upto = initialize.userDataPage.get({ workflowId, after, limit: A_FEW })?.upto ?? undefined;
      if (upto === undefined) return;
      queries.rememberUserData.run({ workflowId, after, upto });
      after = upto;
      yield;
    }
  }

  return function* settle(workflowId: number, runId: number): WorkSteps<number> {
    yield* spreadDownstream(initialize, windows, workflowId, (id) => void queries.runAgain.run({ id, runId }));
    yield* rememberUserData(workflowId);
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
