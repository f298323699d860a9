import { statusOf } from '../../core/contract/job.ts';
import { ENDED, HELD } from '../../core/job/statuses.ts';
import type { CanceledJobs } from '../../core/contract/cancel-jobs.ts';
import type { Caller } from '../caller.ts';
import type { NoteAction } from '../records/event/user-action.ts';
import type { Store } from '../records/store.ts';
import type { RecoverQueries } from './queries.ts';

/** The return code that a job without a result has for its dependents: it did not succeed. */
const NO_SUCCESS = 1;

/**
 * Cancels single jobs, in one transaction; a job that cannot be canceled is listed with the reason and keeps no other from it.
 *
 * An attempt that a runner holds stays behind (trigger `attempt_left_behind`): the next reply to its runner names it, the runner
 * ends it, and until then the job is not assigned again. Dependents are released as after any unsuccessful end.
 */
export const createCancelJobs = (store: Store, queries: RecoverQueries, noteAction: NoteAction) => {
  const { find, changes, releases } = store;

  /** Why the job cannot be canceled, if so. */
  const refusalOf = (workflowId: number, job: ReturnType<RecoverQueries['toCancel']['get']>): string | undefined => {
    if (job === undefined || job.workflow_id !== workflowId) return `workflow ${workflowId} has no such job`;
    const status = statusOf(job.status);
    if (ENDED.has(status)) return `it has ended already (${status})`;
    if (status === 'uninitialized') return 'it was not initialized yet, so it does not wait or run';
    return status === 'disabled' ? 'it is disabled, so it never runs' : undefined;
  };

  return (workflowId: number, jobIds: readonly number[], caller: Caller): CanceledJobs => {
    find.run(workflowId);
    const reply: CanceledJobs = { canceled_job_ids: [], ending_job_ids: [], dependent_job_ids: [], refused: [] };
    const canceled: object[] = [];
    let ready = 0;
    for (const id of new Set(jobIds)) {
      const job = queries.toCancel.get({ id });
      const message = refusalOf(workflowId, job);
      if (job === undefined || message !== undefined) {
        reply.refused.push({ job_id: id, message: message ?? '' });
        continue;
      }
      const isHeld = HELD.has(statusOf(job.status));
      queries.cancelJob.run({ id });
      reply.canceled_job_ids.push(id);
      if (isHeld && job.claimed_by !== null) reply.ending_job_ids.push(id);
      canceled.push({ job_id: id, job_name: job.name, status: 'canceled', cause: 'a user canceled it' });
      if (job.dependents === 0) continue;
      const { dependents } = job;
      const released = releases.dependentsOf({
        workflowId,
        jobId: id,
        status: 'canceled',
        returnCode: NO_SUCCESS,
        dependents,
      });
      ready += released.ready;
      for (const each of released.canceled as { job_id: number }[]) {
        reply.dependent_job_ids.push(each.job_id);
        canceled.push(each);
      }
    }
    if (canceled.length === 0) return reply;
    noteAction(workflowId, caller, 'cancel_jobs', { job_ids: reply.canceled_job_ids });
    changes.record(workflowId, 'job_canceled', canceled);
    if (reply.ending_job_ids.length > 0)
      changes.record(workflowId, 'attempts_canceled', [{ job_ids: reply.ending_job_ids }]);
    if (ready > 0) changes.record(workflowId, 'jobs_ready', [{ jobs: ready }]);
    releases.closeIfComplete(workflowId);
    return reply;
  };
};
