import * as z from 'zod';
import { type JobStatus, jobStatuses } from './job-statuses.ts';
import { environment, flag, id, integer, maybe, stored, text } from './shape.ts';

export { type JobStatus, jobStatuses } from './job-statuses.ts';

export const jobStatus = z.enum(jobStatuses);

/** The number of each status in the database. */
export const statusCode = Object.fromEntries(jobStatuses.map((status, code) => [status, code])) as Record<
  JobStatus,
  number
>;

/** The status for a number from the database. */
export function statusOf(code: number): JobStatus {
  const status = jobStatuses[code];
  if (status === undefined) throw new RangeError(`no job status has the number ${code}`);
  return status;
}

export const label = text;

export const NewJob = z.object({
  id: maybe(id),
  workflow_id: id,
  name: text,
  command: text,
  invocation_script: maybe(text),
  env: maybe(environment),
  status: maybe(jobStatus),
  cancel_on_blocking_job_failure: maybe(flag),
  supports_termination: maybe(flag),
  depends_on_job_ids: maybe(z.array(id)),
  input_file_ids: maybe(z.array(id)),
  output_file_ids: maybe(z.array(id)),
  input_user_data_ids: maybe(z.array(id)),
  output_user_data_ids: maybe(z.array(id)),
  resource_requirements_id: maybe(id),
  scheduler_id: maybe(id),
  failure_handler_id: maybe(id),
  attempt_id: maybe(integer),
  /** addition: attempts that were lost with their runner; failure handlers do not count them. Absent if 0. */
  refunded_attempts: maybe(integer),
  /** addition: when an update removed the job from the plan, in Unix milliseconds. It is disabled and keeps its results. */
  removed_at_ms: maybe(integer),
  priority: maybe(integer),
  compute_node_id: maybe(id),
  start_time: maybe(text),
  origin: maybe(text),
  labels: maybe(z.array(label)),
});
export type NewJob = z.output<typeof NewJob>;
export const Job = stored(NewJob);
export type Job = z.output<typeof Job>;

export const JobStatusCounts = z.object(
  Object.fromEntries(jobStatuses.map((status) => [status, integer])) as Record<JobStatus, z.ZodInt>,
);
export type JobStatusCounts = Record<JobStatus, number>;

export const JobDependency = z.object({
  job_id: id,
  job_name: text,
  depends_on_job_id: id,
  depends_on_job_name: text,
  workflow_id: id,
});
export type JobDependency = z.output<typeof JobDependency>;

export const JobFileRelationship = z.object({
  file_id: id,
  file_name: text,
  file_path: text,
  workflow_id: id,
  producer_job_id: maybe(id),
  producer_job_name: maybe(text),
  consumer_job_id: maybe(id),
  consumer_job_name: maybe(text),
});
export type JobFileRelationship = z.output<typeof JobFileRelationship>;

export const JobUserDataRelationship = z.object({
  user_data_id: id,
  user_data_name: text,
  workflow_id: id,
  producer_job_id: maybe(id),
  producer_job_name: maybe(text),
  consumer_job_id: maybe(id),
  consumer_job_name: maybe(text),
});
export type JobUserDataRelationship = z.output<typeof JobUserDataRelationship>;
