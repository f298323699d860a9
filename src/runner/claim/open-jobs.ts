import type { Client } from '../../client/client.ts';
import type { Workflow } from '../../core/contract/workflow.ts';
import type { HasOpenJobs } from './idle-policy.ts';

/** Jobs with these statuses have not ended. */
const OPEN = ['ready', 'blocked', 'uninitialized', 'running', 'pending'] as const;

/**
 * Checks for jobs that a runner with these labels may claim, now or when their dependencies have ended. It requests
 * jobs of a status only if the server counts some.
 */
export const openJobs =
  (
    client: Pick<Client, 'listJobs'>,
    { id, use_pending_failed: usesPendingFailed }: Pick<Workflow, 'id' | 'use_pending_failed'>,
    labels: readonly string[],
  ): HasOpenJobs =>
  async (counts) => {
    // A job that waits for a decision may run again.
    const statuses = usesPendingFailed === true ? [...OPEN, 'pending_failed' as const] : OPEN;
    for (const status of statuses) {
      if (counts[status] === 0) continue;
      const query = { workflow_id: id as number, labels: labels.join(','), status, limit: 1 };
      if ((await client.listJobs({ query })).count > 0) return true;
    }
    return false;
  };
