import type { Handlers } from '../handlers.ts';
import { userActions } from '../records/event/user-action.ts';
import { createEdges } from '../records/edges/edges.ts';
import type { Store } from '../records/store.ts';
import { mappedWork, once } from '../store/work.ts';
import { createInitialize } from './initialize/initialize.ts';
import { initializeQueries } from './initialize/queries.ts';
import { taskQueries } from './queries.ts';
import { updateQueries } from './update/queries.ts';
import { createPlanUpdate } from './update/update.ts';
import { refuseIncomplete } from './refuse-incomplete.ts';
import { createTasks } from './task.ts';

export const submitHandlers = (store: Store) => {
  const tasks = createTasks(store, taskQueries(store.db));
  const queries = initializeQueries(store.db);
  const initialize = createInitialize(store, queries, tasks.succeed);
  const updatePlan = createPlanUpdate(
    store,
    { queries: updateQueries(store.db), initialize: queries, edges: createEdges(store.db, store.windows) },
    userActions(store),
  );

  return {
    initializeJobs({ params: { id }, query: { async: isAsync, keep_pending_failed: keeps, ...query } }) {
      refuseIncomplete(store, id);
      const only = query.only_uninitialized ?? false;
      const keepsUndecided = keeps ?? false;
      if (isAsync === true)
        return once(initialize(id, { only, keepsUndecided }), () =>
          tasks.begin(id, query, (taskId) => initialize(id, { only, keepsUndecided, taskId })),
        );
      return mappedWork(initialize(id, { only, keepsUndecided }), () => ({ message: 'Initialized job status' }));
    },
    updatePlan: ({ params, query, body }, caller) => updatePlan(params.id, body, query.dry_run ?? false, caller),
    getTask: ({ params }) => tasks.read(params.id),
    getActiveTask: ({ params }) => ({ task: tasks.active(params.id) }),
  } satisfies Partial<Handlers>;
};
