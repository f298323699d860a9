import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import { countOf, HELD, UNCLAIMED } from '../../core/job/statuses.ts';

export const waiting = ({ jobs_by_status: jobs }: WorkflowStatus) => countOf(jobs, UNCLAIMED);
export const busy = ({ jobs_by_status: jobs }: WorkflowStatus) => countOf(jobs, HELD);
/** Runners and allocations. */
export const alive = (status: WorkflowStatus) =>
  status.active_compute_nodes + status.pending_scheduled_nodes + status.active_scheduled_nodes;
/** It is complete, or a runner works on it, or will. */
export const isUnderWay = (status: WorkflowStatus) => status.is_complete || alive(status) + busy(status) > 0;

export const withReasons = (words: string, reasons: readonly string[]): string =>
  reasons.length === 0 ? words : `${words}: ${reasons.join('; ')}`;
