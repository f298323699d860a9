import type { Job } from '../../../core/contract/job.ts';
import { statusOf } from '../../../core/contract/job.ts';
import { STATUS } from './status.ts';

/** A row of the job table, without the columns that only the server needs. */
export interface JobRow {
  id: number;
  workflow_id: number;
  name: string;
  command: string;
  invocation_script: string | null;
  env: string | null;
  status: number;
  cancel_on_blocking_job_failure: number;
  supports_termination: number | null;
  resource_requirements_id: number;
  scheduler_id: number | null;
  failure_handler_id: number | null;
  attempt_id: number;
  refunded_attempts: number;
  priority: number;
  compute_node_id: number | null;
  start_time: string | null;
  origin: string | null;
  labels: string | null;
  removed_at_ms: number | null;
}

/** The condition that makes a query use the index `job_unsettled`, in addition to the statuses that it selects. */
export const unsettled = `job.status > 2 and job.status <> ${STATUS.completed}`;

export const jobColumns = `
  job.id, job.workflow_id, job.name, job.command, job.invocation_script, job.env, job.status,
  job.cancel_on_blocking_job_failure, job.supports_termination, job.resource_requirements_id, job.scheduler_id,
  job.failure_handler_id, job.attempt_id, job.refunded_attempts, job.priority, job.compute_node_id, job.start_time, job.origin, job.labels,
  job.removed_at_ms`;

/**
 * A job as the API returns it.
 *
 * Unset fields are zeros and empty strings, because clients of Torc 1.0.0 rely on it.
 */
export function jobOf(row: JobRow): Job {
  return {
    ...claimedJobOf(row),
    invocation_script: row.invocation_script ?? '',
    scheduler_id: row.scheduler_id ?? 0,
    failure_handler_id: row.failure_handler_id ?? 0,
    supports_termination: row.supports_termination === 1,
  };
}

/** A job as assigned to a runner: unset fields are left out. */
export function claimedJobOf(row: JobRow): Job & { id: number; attempt_id: number } {
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    name: row.name,
    command: row.command,
    invocation_script: row.invocation_script ?? undefined,
    env: row.env === null ? undefined : (JSON.parse(row.env) as Record<string, string>),
    status: statusOf(row.status),
    cancel_on_blocking_job_failure: row.cancel_on_blocking_job_failure === 1,
    supports_termination: row.supports_termination === null ? undefined : row.supports_termination === 1,
    resource_requirements_id: row.resource_requirements_id,
    failure_handler_id: row.failure_handler_id ?? undefined,
    attempt_id: row.attempt_id,
    ...(row.refunded_attempts > 0 ? { refunded_attempts: row.refunded_attempts } : {}),
    priority: row.priority,
    compute_node_id: row.compute_node_id ?? undefined,
    start_time: row.start_time ?? undefined,
    origin: row.origin ?? undefined,
    ...(row.removed_at_ms === null ? {} : { removed_at_ms: row.removed_at_ms }),
    labels: row.labels === null ? undefined : (JSON.parse(row.labels) as string[]),
  };
}
