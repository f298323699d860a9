import type { NewScheduledComputeNode, ScheduledComputeNode } from '../../../core/contract/allocation.ts';
import { present } from '../present.ts';

export type AllocationRow = Omit<ScheduledComputeNode, 'plan'> & { plan: string | null };

export const allocationOf = ({ plan, ...row }: AllocationRow): ScheduledComputeNode => ({
  ...present(row),
  ...(plan === null ? {} : { plan: JSON.parse(plan) as ScheduledComputeNode['plan'] }),
});

/** The columns of a record that may change. */
export const allocationRow = (allocation: NewScheduledComputeNode) => ({
  scheduler_id: allocation.scheduler_id,
  scheduler_config_id: allocation.scheduler_config_id,
  scheduler_type: allocation.scheduler_type,
  status: allocation.status,
  array_job_id: allocation.array_job_id ?? null,
  array_task_id: allocation.array_task_id ?? null,
  plan: allocation.plan === undefined || allocation.plan === null ? null : JSON.stringify(allocation.plan),
  held: allocation.held ?? null,
});
