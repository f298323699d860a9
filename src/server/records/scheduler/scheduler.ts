import { Refusal } from '../../../core/contract/refusals.ts';
import type { NewSlurmScheduler, SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { present } from '../present.ts';
import { merged, type Partly, read } from '../records.ts';
import type { Store } from '../store.ts';
import type { SchedulerQueries } from './queries.ts';

export const createSlurmScheduler =
  ({ find }: Store, queries: SchedulerQueries) =>
  (body: NewSlurmScheduler): SlurmScheduler => {
    find.workflow(body.workflow_id);
    if (body.name === undefined || body.name === null) {
      throw new Refusal('BODY_REFUSED', 'a Slurm scheduler needs a name', { field: 'name' });
    }
    const id = queries.insertScheduler.insert({
      workflow_id: body.workflow_id,
      name: body.name,
      account: body.account,
      nodes: body.nodes,
      walltime: body.walltime,
      gres: body.gres ?? null,
      mem: body.mem ?? null,
      ntasks_per_node: body.ntasks_per_node ?? null,
      partition: body.partition ?? null,
      qos: body.qos ?? null,
      tmp: body.tmp ?? null,
      extra: body.extra ?? null,
      serialize_allocations: Number(body.serialize_allocations ?? false),
    });
    return { serialize_allocations: false, ...present(body), id };
  };

export const updateScheduler =
  (queries: SchedulerQueries) =>
  (id: number, body: Partly<NewSlurmScheduler>): SlurmScheduler => {
    const after = merged(read(queries.schedulers, id), body);
    queries.updateScheduler.run({
      id,
      name: after.name ?? '',
      account: after.account,
      nodes: after.nodes,
      walltime: after.walltime,
      gres: after.gres ?? null,
      mem: after.mem ?? null,
      ntasks_per_node: after.ntasks_per_node ?? null,
      partition: after.partition ?? null,
      qos: after.qos ?? null,
      tmp: after.tmp ?? null,
      extra: after.extra ?? null,
      serialize_allocations: Number(after.serialize_allocations ?? false),
    });
    return read(queries.schedulers, id);
  };
