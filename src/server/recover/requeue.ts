import { statusOf } from '../../core/contract/job.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { JobRow } from '../records/rows/job.ts';
import type { Store } from '../records/store.ts';
import type { RecoverQueries } from './queries.ts';

/**
 * Recovers the jobs of a runner that is proven lost.
 *
 * A job that it started runs again as a new attempt, never as the same one, because its work may be half done; the lost
 * attempt gets a result (return code -128) that says so. A job that it never started becomes ready again unchanged.
 * `started` lists the started attempts, from the runner's ledger; without it all count as started.
 */
export const createRequeue = ({ db, changes, now }: Store, queries: RecoverQueries) => {
  const held = createHeldAttempts(db, changes);
  /** The start time comes from the runner as text; an invalid one counts as now. */
  const beganAt = ({ start_time: reported }: JobRow) => {
    const at = Date.parse(reported ?? '');
    return Number.isNaN(at) ? now() : at;
  };
  return {
    node: (workflowId: number, nodeId: number) => queries.node.get({ workflowId, nodeId }),

    takeBack(
      { workflowId, runId, nodeId, reason }: { workflowId: number; runId: number; nodeId: number; reason: string },
      started: ReadonlySet<string> | undefined,
    ): { requeued: number[]; returned: number[] } {
      const wasStarted = (job: JobRow) =>
        statusOf(job.status) === 'running' || started === undefined || started.has(attemptKey(job.id, job.attempt_id));
      const requeued: JobRow[] = [];
      const returned: JobRow[] = [];
      for (const job of queries.heldBy.all({ workflowId, nodeId })) {
        if (wasStarted(job)) {
          queries.insertLostResult.run({
            jobId: job.id,
            workflowId,
            runId,
            attemptId: job.attempt_id,
            nodeId,
            completionTime: new Date(now()).toISOString(),
            minutes: Math.max(0, now() - beganAt(job)) / 60_000,
            cause: reason,
          });
          queries.letGo.run({ id: job.id });
          queries.retry.run({ id: job.id });
          queries.refund.run({ id: job.id });
          requeued.push(job);
        } else {
          queries.letGo.run({ id: job.id });
          queries.giveBack.run({ id: job.id });
          returned.push(job);
        }
      }
      // Claimed ahead: one that was started too early has run, and waits on as its next attempt.
      for (const job of queries.claimedAhead.all({ workflowId, nodeId })) {
        queries.letGo.run({ id: job.id });
        if (!wasStarted(job)) continue;
        queries.nextAttempt.run({ id: job.id });
        queries.refund.run({ id: job.id });
      }
      held.overWithNode(workflowId, nodeId);
      queries.deactivate.run({ nodeId });
      const about = { compute_node_id: nodeId, reason };
      if (requeued.length > 0) {
        changes.record(workflowId, 'jobs_requeued', [
          { ...about, jobs: requeued.map(({ id, name }) => ({ job_id: id, job_name: name })) },
        ]);
      }
      if (returned.length > 0)
        changes.record(workflowId, 'jobs_returned', [{ ...about, job_ids: returned.map(({ id }) => id) }]);
      if (requeued.length + returned.length > 0) {
        changes.record(workflowId, 'jobs_ready', [{ jobs: requeued.length + returned.length }]);
      }
      return { requeued: requeued.map(({ id }) => id), returned: returned.map(({ id }) => id) };
    },
  };
};

/** One attempt of a job, as a key: the runner may hold a later one than it started. */
export const attemptKey = (jobId: number, attempt: number): string => `${jobId} ${attempt}`;
