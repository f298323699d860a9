import type { SlurmScheduler } from '../../../core/contract/scheduling.ts';
import { present } from '../present.ts';

export type SlurmSchedulerRow = Omit<SlurmScheduler, 'serialize_allocations'> & { serialize_allocations: number };

export const schedulerOf = (row: SlurmSchedulerRow): SlurmScheduler => ({
  ...present(row),
  serialize_allocations: row.serialize_allocations === 1,
});
