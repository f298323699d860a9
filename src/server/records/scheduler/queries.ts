import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { Database, Value } from '../../store/database.ts';
import { createListing } from '../../store/listing.ts';
import { whole } from '../records.ts';
import { schedulerOf, type SlurmSchedulerRow } from './row.ts';

export const schedulerQueries = (db: Database) => ({
  schedulers: whole(db, 'slurm_scheduler', (row: SlurmSchedulerRow) => schedulerOf(row)),
  insertScheduler: db.prepare<Record<string, Value>>(`
    insert into slurm_scheduler (
      workflow_id, name, account, nodes, walltime, gres, mem, ntasks_per_node, partition, qos, tmp, extra,
      serialize_allocations
    ) values (
      :workflow_id, :name, :account, :nodes, :walltime, :gres, :mem, :ntasks_per_node, :partition, :qos, :tmp, :extra,
      :serialize_allocations
    )`),
  updateScheduler: db.prepare<Record<string, Value>>(`
    update slurm_scheduler set
      name = :name, account = :account, nodes = :nodes, walltime = :walltime, gres = :gres, mem = :mem,
      ntasks_per_node = :ntasks_per_node, partition = :partition, qos = :qos, tmp = :tmp, extra = :extra,
      serialize_allocations = :serialize_allocations
    where id = :id`),
  listSchedulers: createListing<{ workflow_id?: number | undefined }, SlurmSchedulerRow, SlurmScheduler>(
    db,
    {
      columns: 'slurm_scheduler.*',
      from: 'slurm_scheduler',
      filters: { workflow_id: 'slurm_scheduler.workflow_id = :workflow_id' },
      sortable: {
        id: 'slurm_scheduler.id',
        name: 'slurm_scheduler.name',
        account: 'slurm_scheduler.account',
        nodes: 'slurm_scheduler.nodes',
        partition: 'slurm_scheduler.partition',
        qos: 'slurm_scheduler.qos',
        walltime: 'slurm_scheduler.walltime',
      },
      idColumn: 'slurm_scheduler.id',
    },
    schedulerOf,
  ),
});

export type SchedulerQueries = ReturnType<typeof schedulerQueries>;
