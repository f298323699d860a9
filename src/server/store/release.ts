import type { JobStatus } from '../../core/contract/job.ts';
import { isUnsuccessful } from '../../core/lifecycle/job.ts';
import type { ChangeLog } from './changes.ts';
import type { Database } from './database.ts';

/** A job that its dependants need not wait for any more. */
interface Ended {
  readonly jobId: number;
  readonly status: JobStatus;
  readonly returnCode: number;
}

/**
 * Releases what waited for a job, in the transaction in which it ended: nothing waits for a timer.
 *
 * A dependant whose last dependency this was becomes ready; if one of them went wrong and it asked for that, it is
 * canceled instead, and so on downstream.
 */
export function createRelease(db: Database, changes: ChangeLog) {
  const queries = releaseQueries(db);
  return {
    /** How many jobs became ready, and what is to be told of those that were canceled. */
    dependantsOf({ jobId, status, returnCode }: Ended): { ready: number; canceled: object[] } {
      let ready = 0;
      const canceled: object[] = [];
      const ended = [{ id: jobId, failed: Number(isUnsuccessful(status, returnCode)) }];
      for (const { id, failed } of ended) {
        if (queries.countDown.run({ id, failed }) === 0) continue;
        ready += queries.release.run({ id });
        for (const doomed of queries.doomed.all({ id })) {
          queries.cancel.run({ id: doomed.id });
          canceled.push({
            job_id: doomed.id,
            job_name: doomed.name,
            status: 'canceled',
            cause: `job ${id} did not succeed`,
          });
          ended.push({ id: doomed.id, failed: 1 });
        }
      }
      return { ready, canceled };
    },

    /** Tells that the workflow is complete, when it is. */
    closeIfComplete(workflowId: number): void {
      if (queries.open.get({ workflowId }) !== undefined) return;
      changes.record(workflowId, 'workflow_completed', [{ category: 'workflow' }]);
    },
  };
}

const releaseQueries = (db: Database) => ({
  // One statement to count, and only where there are any dependants the ones that release.
  countDown: db.prepare<{ id: number; failed: number }>(`
    update job set unmet = unmet - 1, upstream_failed = max(upstream_failed, :failed)
    where id in (select job_id from job_depends_on where depends_on_job_id = :id) and status = 1`),
  release: db.prepare<{ id: number }>(`
    update job set status = 2
    where id in (select job_id from job_depends_on where depends_on_job_id = :id)
      and status = 1 and unmet <= 0 and not (upstream_failed and cancel_on_blocking_job_failure)`),
  doomed: db.prepare<{ id: number }, { id: number; name: string }>(`
    select id, name
    from job
    where id in (select job_id from job_depends_on where depends_on_job_id = :id)
      and status = 1 and unmet <= 0`),
  cancel: db.prepare<{ id: number }>('update job set status = 7 where id = :id'),
  // A status in which jobs keep the workflow open.
  open: db.prepare<{ workflowId: number }, { status: number }>(`
    select status
    from job_count
    where workflow_id = :workflowId and status in (0, 1, 2, 3, 4, 10) and jobs > 0
    limit 1`),
});
