import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewSlurmScheduler, SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { Handlers } from '../../handlers.ts';
import { presentFields } from '../present.ts';
import { listByQuery, merged, read, removeAll, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { type SchedulerQueries, schedulerQueries, schedulerValues } from './queries.ts';

export const schedulerHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = schedulerQueries(db);
  const { schedulers } = queries;
  const create = createSlurmScheduler(store, queries);

  return {
    createSlurmScheduler: ({ body }) => create(body),
    listSlurmSchedulers: listByQuery(find, schedulers.list),
    getSlurmScheduler: ({ params }) => read(schedulers, params.id),
    updateSlurmScheduler({ params: { id }, body }) {
      const after = merged<NewSlurmScheduler>(read(schedulers, id), body);
      queries.updateScheduler.run({ id, ...schedulerValues(after) });
      return read(schedulers, id);
    },
    deleteSlurmScheduler: ({ params }) => removeRecord(schedulers, params.id),
    deleteSlurmSchedulers: ({ query }) => ({ count: removeAll(find, schedulers, query.workflow_id) }),
  } satisfies Partial<Handlers>;
};

export const createSlurmScheduler =
  ({ find }: Store, queries: SchedulerQueries) =>
  (body: NewSlurmScheduler): SlurmScheduler => {
    find.workflow(body.workflow_id);
    if (body.name === undefined || body.name === null) {
      throw new Refusal('BODY_REFUSED', 'a Slurm scheduler needs a name', { field: 'name' });
    }
    const id = queries.insertScheduler.insert({ workflow_id: body.workflow_id, ...schedulerValues(body) });
    return { serialize_allocations: false, ...presentFields(body), id };
  };
