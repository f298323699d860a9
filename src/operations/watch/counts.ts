import type { WorkflowStatus } from '../../core/contract/workflow.ts';

export const waiting = ({ jobs_by_status: jobs }: WorkflowStatus) => jobs.ready + jobs.blocked + jobs.uninitialized;
export const busy = ({ jobs_by_status: jobs }: WorkflowStatus) => jobs.running + jobs.pending;
/** Runners and allocations. */
export const alive = (status: WorkflowStatus) =>
  status.active_compute_nodes + status.pending_scheduled_nodes + status.active_scheduled_nodes;
/** It is complete, or a runner works on it, or will. */
export const isUnderWay = (status: WorkflowStatus) => status.is_complete || alive(status) + busy(status) > 0;

export const withReasons = (words: string, reasons: readonly string[]): string =>
  reasons.length === 0 ? words : `${words}: ${reasons.join('; ')}`;
