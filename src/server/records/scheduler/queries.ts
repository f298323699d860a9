import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { insertInto, update } from '../../store/columns.ts';
import { createListing, equal, sortable } from '../../store/listing.ts';
import { whole } from '../records.ts';
import { schedulerColumns, schedulerOf, type SlurmSchedulerRow } from './row.ts';

export const schedulerQueries = (db: Database) => ({
  schedulers: whole(db, 'slurm_scheduler', (row: SlurmSchedulerRow) => schedulerOf(row)),
  insertScheduler: db.prepare<Record<string, ColumnValue>>(
    insertInto('slurm_scheduler', ['workflow_id', ...schedulerColumns]),
  ),
  updateScheduler: db.prepare<Record<string, ColumnValue>>(update('slurm_scheduler', schedulerColumns)),
  listSchedulers: createListing<{ workflow_id?: number | undefined }, SlurmSchedulerRow, SlurmScheduler>(
    db,
    {
      columns: 'slurm_scheduler.*',
      from: 'slurm_scheduler',
      filters: equal('slurm_scheduler', 'workflow_id'),
      sortable: sortable('slurm_scheduler', ['id', 'name', 'account', 'nodes', 'partition', 'qos', 'walltime']),
      idColumn: 'slurm_scheduler.id',
    },
    schedulerOf,
  ),
});

export type SchedulerQueries = ReturnType<typeof schedulerQueries>;
