import type { NewScheduledComputeNode, ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { columns, valuesOf } from '../../store/columns.ts';
import { present } from '../present.ts';

export type AllocationRow = Omit<ScheduledComputeNode, 'plan'> & { plan: string | null };

export const allocationOf = ({ plan, ...row }: AllocationRow): ScheduledComputeNode => ({
  ...present(row),
  ...(plan === null ? {} : { plan: JSON.parse(plan) as ScheduledComputeNode['plan'] }),
});

/** The columns of a record that may change. */
export const allocationColumns = [
  ...columns('scheduler_id scheduler_config_id scheduler_type status array_job_id array_task_id'),
  ...columns('plan held'),
];

export const allocationRow = (allocation: NewScheduledComputeNode) => valuesOf(allocation, allocationColumns);
