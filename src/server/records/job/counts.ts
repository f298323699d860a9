import { jobStatuses, type JobStatusCounts, statusOf } from '../../../core/contract/job.ts';
import { countOf, OPEN } from '../../../core/job/statuses.ts';
import type { Database } from '../../store/database.ts';

/**
 * The number of jobs of a workflow in each status. The store maintains the numbers, so reading them costs the same for
 * any size.
 */
export function createCounts(db: Database) {
  const rows = db.prepare<{ workflowId: number }, { status: number; jobs: number }>(
    'select status, jobs from job_count where workflow_id = :workflowId',
  );
  return (workflowId: number): JobStatusCounts => countsOf(rows.all({ workflowId }));
}

/** The same of the jobs of a choice. They are counted: 100,000 in 10 ms, once at the end of a run. */
export function createChoiceCounts(db: Database) {
  const rows = db.prepare<{ choice: number }, { status: number; jobs: number }>(
    'select status, count(*) as jobs from job where choice = :choice group by status',
  );
  return (choice: number): JobStatusCounts => countsOf(rows.all({ choice }));
}

function countsOf(rows: readonly { readonly status: number; readonly jobs: number }[]): JobStatusCounts {
  const counts = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts;
  for (const { status, jobs } of rows) counts[statusOf(status)] = jobs;
  return counts;
}

/** Whether every job has ended. A workflow without jobs is complete. */
export function allEnded(counts: JobStatusCounts): boolean {
  return countOf(counts, OPEN) === 0;
}
