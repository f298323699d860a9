import type { Handlers } from '../../handlers.ts';
import { listed, read, removeRecord, removeAll } from '../records.ts';
import type { Store } from '../store.ts';
import { schedulerQueries } from './queries.ts';
import { createSlurmScheduler, updateScheduler } from './scheduler.ts';

export const schedulerHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = schedulerQueries(db);
  const { schedulers } = queries;
  const create = createSlurmScheduler(store, queries);
  const update = updateScheduler(queries);

  return {
    createSlurmScheduler: ({ body }) => create(body),
    listSlurmSchedulers: listed(find, schedulers.list),
    getSlurmScheduler: ({ params }) => read(schedulers, params.id),
    updateSlurmScheduler: ({ params, body }) => update(params.id, body),
    deleteSlurmScheduler: ({ params }) => removeRecord(schedulers, params.id),
    deleteSlurmSchedulers: ({ query }) => ({ count: removeAll(find, schedulers, query.workflow_id) }),
  } satisfies Partial<Handlers>;
};
