import type { Client } from '../../client/client.ts';
import { type JobStatus, jobStatuses } from '../../core/job/job-statuses.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import { HELD, UNCLAIMED, WAITS_FOR_DECISION } from '../../core/job/statuses.ts';
import type { HasOpenJobs } from './idle-policy.ts';

/**
 * Jobs with these statuses have not ended. They stand in the order in which a job passes through them: one that goes on
 * while this asks is found at its next status. `ready` stands twice, because a runner may give a job back.
 *
 * Counts do not say which statuses to ask for: they are older than the answers, and Torc's own server releases jobs at any
 * moment, without an event. A job that was blocked a moment ago was then found neither blocked nor ready.
 */
const ASKED: readonly JobStatus[] = [
  ...jobStatuses.filter((status) => UNCLAIMED.has(status) || HELD.has(status)),
  'ready',
];

/** Checks for jobs that a runner with these labels may claim, now or when their dependencies have ended. */
export const openJobs =
  (
    client: Pick<Client, 'listJobs'>,
    { id, use_pending_failed: usesPendingFailed }: Pick<Workflow, 'id' | 'use_pending_failed'>,
    labels: readonly string[],
  ): HasOpenJobs =>
  async () => {
    // A job that waits for a decision may run again.
    const statuses = usesPendingFailed === true ? [...ASKED, ...WAITS_FOR_DECISION] : ASKED;
    for (const status of statuses) {
      const query = { workflow_id: id, labels: labels.join(','), status, limit: 1 };
      if ((await client.listJobs({ query })).count > 0) return true;
    }
    return false;
  };
