import type { Job, JobDependency } from '../../contract/job.ts';
import { isOneOf, STOPPED } from '../../job/statuses.ts';
import { dependentsIn, reachedFrom } from '../rerun/downstream.ts';

type Status = Pick<Job, 'id' | 'status' | 'cancel_on_blocking_job_failure'>;
type Edge = Pick<JobDependency, 'job_id' | 'depends_on_job_id'>;

/** The jobs that were terminated, and those that were canceled for another reason than a job that failed. */
export function interruptedOf(jobs: readonly Status[], edges: readonly Edge[]): number[] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const failed = jobs.flatMap(({ id, status }) => (status === 'failed' ? [id] : []));
  const kept = reachedFrom(failed, dependentsIn(edges), (id) => {
    const job = byId.get(id);
    return job?.status === 'canceled' && job.cancel_on_blocking_job_failure !== false;
  });
  return jobs.flatMap(({ id, status }) => (isOneOf(STOPPED, status) && !kept.has(id) ? [id] : []));
}
