import { type JobStatus, statusCode } from '../../../core/contract/job.ts';
import { ENDED, type StatusSet, STOPPED } from '../../../core/job/statuses.ts';

/** The number of each status of a job, for SQL statements. */
export const STATUS = statusCode;

const numbersOf = (parts: readonly (JobStatus | StatusSet)[]): number[] => {
  const statuses = new Set(parts.flatMap((part) => (typeof part === 'string' ? [part] : [...part])));
  return [...statuses].map((status) => statusCode[status]).sort((a, b) => a - b);
};

/** Sets of statuses as a list for SQL, as in `status in ${anyOf(HELD)}`. Literals, so that an index of some statuses is used. */
export const anyOf = (...parts: readonly (JobStatus | StatusSet)[]): string => `(${numbersOf(parts).join(', ')})`;

/**
 * The same as a condition on ranges of numbers, for a statement that is run very often: SQLite writes a list into a table of
 * its own at each call, which takes three times as long.
 */
export function inRangesOf(column: string, set: StatusSet): string {
  const numbers = numbersOf([set]);
  const isFirst = (code: number) => !numbers.includes(code - 1);
  const conditions = numbers.filter(isFirst).map((first) => {
    let last = first;
    while (numbers.includes(last + 1)) last += 1;
    if (first === last) return `${column} = ${first}`;
    return first === 0 ? `${column} <= ${last}` : `${column} between ${first} and ${last}`;
  });
  return `(${conditions.join(' or ')})`;
}

/** The number of dependencies that a job still waits for, and whether an ended one failed. */
export const upstreamOfJob = `
  select
    coalesce(sum(upstream.status not in ${anyOf(ENDED)}), 0),
    coalesce(max(upstream.status in ${anyOf(STOPPED)} or (upstream.status = ${STATUS.failed} and coalesce(
      (select result.return_code from result where result.id = upstream.result_id), 1) <> 0)), 0)
  from job_depends_on edge
  join job upstream on upstream.id = edge.depends_on_job_id
  where edge.job_id = job.id`;
