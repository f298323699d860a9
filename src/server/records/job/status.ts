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
