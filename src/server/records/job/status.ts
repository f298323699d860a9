import { type JobStatus, statusCode } from '../../../core/contract/job.ts';

/** The number of each status of a job, for SQL statements. */
export const STATUS = statusCode;

/** A list of statuses for SQL, as in `status in ${anyOf('failed', 'canceled')}`. */
export const anyOf = (...statuses: readonly JobStatus[]): string =>
  `(${statuses.map((status) => statusCode[status]).join(', ')})`;

/** A runner holds the job. */
export const HELD = anyOf('pending', 'running');
/** The job has ended, with a result or without. */
export const ENDED = anyOf('completed', 'failed', 'canceled', 'terminated');

/** The number of dependencies that a job still waits for, and whether an ended one failed. */
export const upstreamOfJob = `
  select
    coalesce(sum(upstream.status not in ${ENDED}), 0),
    coalesce(max(upstream.status in ${anyOf('canceled', 'terminated')} or (upstream.status = ${STATUS.failed} and coalesce(
      (select result.return_code from result where result.id = upstream.result_id), 1) <> 0)), 0)
  from job_depends_on edge
  join job upstream on upstream.id = edge.depends_on_job_id
  where edge.job_id = job.id`;
