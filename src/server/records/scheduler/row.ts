import type { NewSlurmScheduler, SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { columns, columnValuesOf } from '../../store/columns.ts';
import { presentFields } from '../present.ts';

export type SlurmSchedulerRow = Omit<SlurmScheduler, 'serialize_allocations'> & { serialize_allocations: number };

export const schedulerOf = (row: SlurmSchedulerRow): SlurmScheduler => ({
  ...presentFields(row),
  serialize_allocations: row.serialize_allocations === 1,
});

/** The columns that may change. */
export const schedulerColumns = [
  ...columns('name account nodes walltime gres mem ntasks_per_node partition qos tmp'),
  ...columns('extra serialize_allocations'),
];

export const schedulerValues = (scheduler: Omit<NewSlurmScheduler, 'workflow_id'>) =>
  columnValuesOf(
    { ...scheduler, name: scheduler.name ?? '', serialize_allocations: scheduler.serialize_allocations ?? false },
    schedulerColumns,
  );
