import type { HeldAttempt } from '../../../core/contract/exchange.ts';
import { HELD, UNCLAIMED } from '../../../core/job/statuses.ts';
import type { ChangeLog } from '../../store/changes.ts';
import type { Database } from '../../store/database.ts';
import { anyOf, STATUS } from '../rows/status.ts';

/** A runner, and the number of attempts that it still holds although their jobs have moved on. */
export interface HoldingRunner {
  readonly compute_node_id: number;
  readonly hostname: string;
  readonly attempts: number;
}

/** Identifies an attempt that a runner held. Without `attemptId`: any attempt of the job. */
interface HeldBy {
  readonly workflowId: number;
  readonly jobId: number;
  readonly attemptId?: number | undefined;
  readonly nodeId: number;
}

/**
 * Attempts that a runner still holds although their job has moved on (table `held_attempt`).
 *
 * A job that is canceled, reset or set by hand leaves its attempt behind: the process may run for the lead time of its
 * workflow, or for as long as the runner cannot reach the server. Triggers write the row. It is removed when the runner
 * reports the end of the attempt, returns the job, is deregistered or is proven lost; silence proves nothing. Until
 * then the job is not assigned, so no job ever has two live attempts.
 */
export function createHeldAttempts(db: Database, changes: ChangeLog) {
  const queries = heldQueries(db);

  /** Notifies waiting runners that these jobs can be claimed. */
  const reportReady = (workflowId: number, ready: number) => {
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
  };

  return {
    /** The runner reports that the attempt has ended, or that it never began; false for an unknown attempt. */
    over({ workflowId, jobId, attemptId, nodeId }: HeldBy): boolean {
      if (queries.drop.run({ jobId, attemptId: attemptId ?? null, nodeId }) === 0) return false;
      reportReady(workflowId, queries.isReady.get({ jobId }) === undefined ? 0 : 1);
      return true;
    },

    /** The runner lists all jobs that it holds: attempts of other jobs have ended, or never reached it. */
    overBut(workflowId: number, nodeId: number, jobIds: ReadonlySet<number>): void {
      for (const { jobId } of queries.heldByNode.all({ workflowId, nodeId }))
        if (!jobIds.has(jobId)) this.over({ workflowId, jobId, nodeId });
    },

    /** The runner is lost, with everything that it held. Returns the number of attempts. */
    overWithNode(workflowId: number, nodeId: number): number {
      const held = queries.ofNode.get({ workflowId, nodeId }) ?? { attempts: 0, ready: 0 };
      if (held.attempts === 0) return 0;
      queries.dropNode.run({ workflowId, nodeId });
      reportReady(workflowId, held.ready);
      return held.attempts;
    },

    /** The attempts that the runner has to end: their jobs were canceled, or are to run again. */
    toEnd: (workflowId: number, nodeId: number): HeldAttempt[] => queries.toEnd.all({ workflowId, nodeId }),

    /** Another client reports the end of an attempt that this runner holds: its process may still run. */
    keep(jobId: number): void {
      queries.keep.run({ jobId });
    },

    /** The runner started this attempt, and it does not count. Its process may run on. */
    keepAttempt({ jobId, attemptId, nodeId }: Required<Omit<HeldBy, 'workflowId'>>): void {
      queries.keepAttempt.run({ jobId, attemptId: attemptId as number, nodeId });
    },

    /** The runners that still hold attempts of the workflow. */
    holders: (workflowId: number): HoldingRunner[] => queries.holders.all({ workflowId }),
  };
}

/** `2 on host n1 (compute node 3), 1 on host n2 (compute node 4)`. */
export const holderWords = (holders: readonly HoldingRunner[]): string =>
  holders
    .slice(0, SHOWN)
    .map(({ compute_node_id: id, hostname, attempts }) => `${attempts} on host ${hostname} (compute node ${id})`)
    .concat(holders.length > SHOWN ? [`and ${holders.length - SHOWN} more compute nodes`] : [])
    .join(', ');

const SHOWN = 5;

/** A condition for queries that assign jobs: no earlier attempt of the job is held. */
export const notHeld = 'not exists (select 1 from held_attempt held where held.job_id = job.id)';

const heldQueries = (db: Database) => ({
  drop: db.prepare<{ jobId: number; attemptId: number | null; nodeId: number }>(`
    delete from held_attempt
    where job_id = :jobId and compute_node_id = :nodeId and attempt_id = coalesce(:attemptId, attempt_id)`),
  isReady: db.prepare<{ jobId: number }, { id: number }>(
    `select id from job where id = :jobId and status = ${STATUS.ready} and ${notHeld}`,
  ),
  heldByNode: db.prepare<{ workflowId: number; nodeId: number }, { jobId: number }>(
    'select job_id as jobId from held_attempt where workflow_id = :workflowId and compute_node_id = :nodeId',
  ),
  toEnd: db.prepare<{ workflowId: number; nodeId: number }, HeldAttempt>(`
    select held.job_id, held.attempt_id
    from held_attempt held
    join job on job.id = held.job_id
    where held.workflow_id = :workflowId and held.compute_node_id = :nodeId
      and job.status in ${anyOf(UNCLAIMED, 'canceled')}`),
  ofNode: db.prepare<{ workflowId: number; nodeId: number }, { attempts: number; ready: number }>(`
    select count(*) as attempts, coalesce(sum(job.status = ${STATUS.ready}), 0) as ready
    from held_attempt held
    join job on job.id = held.job_id
    where held.workflow_id = :workflowId and held.compute_node_id = :nodeId`),
  dropNode: db.prepare<{ workflowId: number; nodeId: number }>(
    'delete from held_attempt where workflow_id = :workflowId and compute_node_id = :nodeId',
  ),
  keep: db.prepare<{ jobId: number }>(`
    insert or replace into held_attempt (job_id, attempt_id, workflow_id, compute_node_id, run_id)
    select job.id, job.attempt_id, job.workflow_id, job.claimed_by, workflow.run_id
    from job
    join workflow on workflow.id = job.workflow_id
    join compute_node on compute_node.id = job.claimed_by
    where job.id = :jobId and job.status in ${anyOf('blocked', HELD)}`),
  keepAttempt: db.prepare<{ jobId: number; attemptId: number; nodeId: number }>(`
    insert or replace into held_attempt (job_id, attempt_id, workflow_id, compute_node_id, run_id)
    select job.id, :attemptId, job.workflow_id, :nodeId, workflow.run_id
    from job
    join workflow on workflow.id = job.workflow_id
    where job.id = :jobId`),
  holders: db.prepare<{ workflowId: number }, HoldingRunner>(`
    select held.compute_node_id, compute_node.hostname, count(*) as attempts
    from held_attempt held
    join compute_node on compute_node.id = held.compute_node_id
    where held.workflow_id = :workflowId
    group by held.compute_node_id
    order by held.compute_node_id`),
});
