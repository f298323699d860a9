import { type Job, type JobStatus, statusCode, statusOf } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { ENDED, RETRIABLE } from '../../core/job/statuses.ts';
import { jobOf } from '../records/rows/job.ts';
import type { Store } from '../records/store.ts';
import { runAgain } from './again.ts';
import { restartable, type WorkSteps } from '../store/work.ts';
import type { RecoverQueries } from './queries.ts';
import { refuseOtherRun } from '../records/find.ts';

/** The state from which a change continues after a restart. */
interface Change {
  readonly id: number;
  readonly status: JobStatus;
  readonly runId: number;
  /** The last dependent that was counted; undefined until the status is set. */
  after?: number;
}

/**
 * Sets the status of a job by hand. Any change is permitted, except to a terminal status, which needs a result.
 *
 * Dependents of an ended job wait for it again; there may be very many, so they are counted in slices.
 */
export const createStatusChange = (store: Store, queries: RecoverQueries) => {
  const { find, changes, now, limits, works } = store;

  /** Whether dependents have to wait for the job again. */
  const set = ({ id, status, runId }: Change): boolean => {
    const job = find.job(id);
    const before = statusOf(job.status);
    if (before === status) return false;
    if (ENDED.has(status)) {
      throw new Refusal(
        'STATUS_REFUSED',
        `Cannot set completion status '${status}' via manage_status_change. Use complete_job API instead.`,
        { job_id: id },
      );
    }
    const { run_id: current } = find.workflow(job.workflow_id);
    refuseOtherRun(runId, current);
    if (status === 'ready') releaseIfItsRunnerReportsIt(queries, id);
    queries.setStatus.run({ id, status: statusCode[status] });
    if (status === 'running') queries.sayWhere.run({ id, startTime: new Date(now()).toISOString() });
    if (status === 'blocked') queries.countUnmet.run({ id });
    changes.record(job.workflow_id, 'job_status_changed', [{ job_id: id, job_name: job.name, from: before, status }]);
    if (status === 'ready') changes.record(job.workflow_id, 'jobs_ready', [{ jobs: 1 }]);
    return ENDED.has(before);
  };

  function* steps(_workflowId: number, change: Change): WorkSteps<Job> {
    const { id, status } = change;
    if (change.after === undefined && !set(change)) return jobOf(find.job(id));
    change.after ??= 0;
    for (;;) {
      const page = queries.dependents.all({ id, after: change.after, limit: limits.page });
      const upto = page.at(-1)?.id;
      if (upto === undefined) return jobOf(find.job(id));
      const range = { id, after: change.after, upto };
      queries.countUpDependents.run(range);
      if (status === 'uninitialized') queries.resetDoneDependents.run(range);
      change.after = upto;
      yield;
    }
  }

  const work = restartable(works, 'change_status', steps);
  return (id: number, status: JobStatus, runId: number) => work(find.job(id).workflow_id, { id, status, runId });
};

/**
 * Torc's runners call these routes when a job could not be started, or when an attempt failed and is to be retried: the
 * process has ended. Our runners report this in their exchange, so for their jobs the call comes from another client,
 * and the attempt stays held until its runner reports the end.
 */
function releaseIfItsRunnerReportsIt(queries: RecoverQueries, id: number): void {
  if (queries.isHeldByOurs.get({ id }) === undefined) queries.letGo.run({ id });
}

/** Makes a job ready again as a new attempt. `maxRetries` counts attempts: with 3 a job runs at most three times. */
export const retryJob =
  ({ find, changes, now }: Store, queries: RecoverQueries) =>
  (id: number, runId: number, maxRetries: number): Job => {
    const job = find.job(id);
    const { run_id: current } = find.workflow(job.workflow_id);
    refuseOtherRun(runId, current);
    const status = statusOf(job.status);
    if (!RETRIABLE.has(status)) {
      throw new Refusal(
        'STATUS_REFUSED',
        `Job cannot be retried: status is ${status[0]?.toUpperCase()}${status.slice(1)}, must be Running, Failed, or Terminated`,
        { job_id: id, found: status },
      );
    }
    if (job.attempt_id - job.refunded_attempts >= maxRetries) {
      throw new Refusal(
        'STATUS_REFUSED',
        `Job cannot be retried: attempt_id=${job.attempt_id} >= max_retries=${maxRetries}`,
        { job_id: id, attempt_id: job.attempt_id, max_retries: maxRetries },
      );
    }
    if (ENDED.has(status)) queries.countUp.run({ id });
    releaseIfItsRunnerReportsIt(queries, id);
    runAgain(queries, job, runId, now());
    const retried = { job_id: id, job_name: job.name, status, attempt_id: job.attempt_id };
    changes.record(job.workflow_id, 'job_retried', [retried]);
    changes.record(job.workflow_id, 'jobs_ready', [{ jobs: 1 }]);
    return jobOf(find.job(id));
  };
