import { jobStatuses, type JobStatusCounts, statusOf } from '../../core/contract/job.ts';
import type { Database } from './database.ts';

/** The statuses that keep a workflow open. */
const OPEN = ['uninitialized', 'blocked', 'ready', 'pending', 'running', 'pending_failed'] as const;

/** How many jobs a workflow has in each status. The store keeps the numbers, so asking costs the same for any size. */
export function createCounts(db: Database) {
  const rows = db.prepare<{ workflowId: number }, { status: number; jobs: number }>(
    'select status, jobs from job_count where workflow_id = :workflowId',
  );
  return (workflowId: number): JobStatusCounts => {
    const counts = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts;
    for (const { status, jobs } of rows.all({ workflowId })) counts[statusOf(status)] = jobs;
    return counts;
  };
}

/** Has every job ended? A workflow without jobs is complete. */
export function allEnded(counts: JobStatusCounts): boolean {
  return OPEN.every((status) => counts[status] === 0);
}
