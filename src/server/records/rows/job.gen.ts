// Made by scripts/gen-job-rows.ts from the table of a job's fields, src/core/job/fields.ts.
import { type Job, statusOf } from '../../../core/contract/job.ts';
import { storedAmounts } from '../amounts.ts';
import type { Definition, JobRow, StoredDefinition } from './job.ts';

/** A job as assigned to a runner: unset fields are left out. */
export const claimedJobOf = (row: JobRow): Job & { attempt_id: number } => ({
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
  refunded_attempts: row.refunded_attempts === 0 ? undefined : row.refunded_attempts,
  removed_at_ms: row.removed_at_ms ?? undefined,
  priority: row.priority,
  compute_node_id: row.compute_node_id ?? undefined,
  start_time: row.start_time ?? undefined,
  origin: row.origin ?? undefined,
  labels: row.labels === null ? undefined : (JSON.parse(row.labels) as string[]),
  timeout: row.timeout ?? undefined,
  licenses: row.licenses === null ? undefined : (JSON.parse(row.licenses) as Record<string, number>),
});

/** A job as the API returns it: unset fields are zeros and empty strings where clients of Torc 1.0.0 rely on it. */
export const jobOf = (row: JobRow): Job => ({
  id: row.id,
  workflow_id: row.workflow_id,
  name: row.name,
  command: row.command,
  invocation_script: row.invocation_script ?? '',
  env: row.env === null ? undefined : (JSON.parse(row.env) as Record<string, string>),
  status: statusOf(row.status),
  cancel_on_blocking_job_failure: row.cancel_on_blocking_job_failure === 1,
  supports_termination: row.supports_termination === null ? false : row.supports_termination === 1,
  resource_requirements_id: row.resource_requirements_id,
  scheduler_id: row.scheduler_id ?? 0,
  failure_handler_id: row.failure_handler_id ?? 0,
  attempt_id: row.attempt_id,
  refunded_attempts: row.refunded_attempts === 0 ? undefined : row.refunded_attempts,
  removed_at_ms: row.removed_at_ms ?? undefined,
  priority: row.priority,
  compute_node_id: row.compute_node_id ?? undefined,
  start_time: row.start_time ?? undefined,
  origin: row.origin ?? undefined,
  labels: row.labels === null ? undefined : (JSON.parse(row.labels) as string[]),
  timeout: row.timeout ?? undefined,
  licenses: row.licenses === null ? undefined : (JSON.parse(row.licenses) as Record<string, number>),
});

/** A list or variables as JSON; null for none. */
const storedJson = (value: object | null | undefined): string | null =>
  !value || Object.keys(value).length === 0 ? null : JSON.stringify(value);

/** What a request gives of a job itself, as its columns have it. */
export const definitionRow = (job: Definition): StoredDefinition => ({
  name: job.name,
  command: job.command,
  invocation_script: job.invocation_script || null,
  env: storedJson(job.env),
  cancel_on_blocking_job_failure: Number(job.cancel_on_blocking_job_failure ?? true),
  supports_termination: typeof job.supports_termination === 'boolean' ? Number(job.supports_termination) : null,
  priority: job.priority ?? 0,
  labels: storedJson(job.labels),
  timeout: job.timeout || null,
  licenses: storedAmounts(job.licenses),
});
