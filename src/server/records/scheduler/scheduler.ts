import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewSlurmScheduler, SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { presentFields } from '../present.ts';
import { merged, type Partly, read } from '../records.ts';
import type { Store } from '../store.ts';
import type { SchedulerQueries } from './queries.ts';
import { schedulerValues } from './row.ts';

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

export const updateScheduler =
  (queries: SchedulerQueries) =>
  (id: number, body: Partly<NewSlurmScheduler>): SlurmScheduler => {
    queries.updateScheduler.run({ id, ...schedulerValues(merged(read(queries.schedulers, id), body)) });
    return read(queries.schedulers, id);
  };
