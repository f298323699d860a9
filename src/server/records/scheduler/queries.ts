import type { NewSlurmScheduler, SlurmScheduler } from '../../../core/contract/scheduling.ts';
import type { ColumnValue, Database } from '../../store/database.ts';
import { columns, columnValuesOf, insertInto, update } from '../../store/columns.ts';
import type { OfWorkflow } from '../../store/listing.ts';
import { recordTable } from '../records.ts';
import { presentFields } from '../present.ts';

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

export type SlurmSchedulerRow = Omit<SlurmScheduler, 'serialize_allocations' | 'pbs'> & {
  serialize_allocations: number;
  /** JSON. */
  pbs: string | null;
};

export const schedulerOf = ({ pbs, ...row }: SlurmSchedulerRow): SlurmScheduler => ({
  ...presentFields(row),
  ...(pbs === null ? {} : { pbs: JSON.parse(pbs) as SlurmScheduler['pbs'] }),
  serialize_allocations: row.serialize_allocations === 1,
});

/** The columns that may change. */
const schedulerColumns = [
  ...columns('name account nodes walltime gres mem ntasks_per_node partition qos tmp'),
  ...columns('extra serialize_allocations pbs'),
];

export const schedulerValues = (scheduler: Omit<NewSlurmScheduler, 'workflow_id'>) =>
  columnValuesOf(
    {
      ...scheduler,
      name: scheduler.name ?? '',
      serialize_allocations: scheduler.serialize_allocations ?? false,
      pbs: scheduler.pbs ? JSON.stringify(scheduler.pbs) : null,
    },
    schedulerColumns,
  );
