import type { NewScheduledComputeNode, ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { columns, columnValuesOf } from '../../store/columns.ts';
import { presentFields } from '../present.ts';

export type AllocationRow = Omit<ScheduledComputeNode, 'plan'> & { plan: string | null };

export const allocationRecordOf = ({ plan, ...row }: AllocationRow): ScheduledComputeNode => ({
  ...presentFields(row),
  ...(plan === null ? {} : { plan: JSON.parse(plan) as ScheduledComputeNode['plan'] }),
});

/** The columns of a record that may change. */
export const allocationColumns = [
  ...columns('scheduler_id scheduler_config_id scheduler_type status array_job_id array_task_id'),
  ...columns('plan held'),
];

export const allocationRow = (allocation: NewScheduledComputeNode) => columnValuesOf(allocation, allocationColumns);
