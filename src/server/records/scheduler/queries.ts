import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { insertInto, update } from '../../store/columns.ts';
import type { OfWorkflow } from '../../store/listing.ts';
import { recordTable } from '../records.ts';
import { schedulerColumns, schedulerOf, type SlurmSchedulerRow } from './row.ts';

export const schedulerQueries = (db: Database) => ({
  schedulers: recordTable<OfWorkflow, SlurmSchedulerRow, SlurmScheduler>(
    db,
    {
      table: 'slurm_scheduler',
      filters: { workflow_id: 'equal' },
      sortable: ['id', 'name', 'account', 'nodes', 'partition', 'qos', 'walltime'],
    },
    schedulerOf,
  ),
  insertScheduler: db.prepare<Record<string, ColumnValue>>(
    insertInto('slurm_scheduler', ['workflow_id', ...schedulerColumns]),
  ),
  updateScheduler: db.prepare<Record<string, ColumnValue>>(update('slurm_scheduler', schedulerColumns)),
});

export type SchedulerQueries = ReturnType<typeof schedulerQueries>;
