import type { Job, JobDependency } from '../contract/job.ts';
import { isOneOf, STOPPED } from '../job/statuses.ts';

type Status = Pick<Job, 'id' | 'status' | 'cancel_on_blocking_job_failure'>;
type Edge = Pick<JobDependency, 'job_id' | 'depends_on_job_id'>;

/** The jobs that were terminated, and those that were canceled for another reason than a job that failed. */
export function interruptedOf(jobs: readonly Status[], edges: readonly Edge[]): number[] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const dependents = new Map<number, number[]>();
  for (const { job_id: id, depends_on_job_id: upstream } of edges) {
    const known = dependents.get(upstream);
    if (known === undefined) dependents.set(upstream, [id]);
    else known.push(id);
  }
  const kept = new Set<number>();
  const queue = jobs.flatMap(({ id, status }) => (status === 'failed' ? [id] : []));
  for (const id of queue) {
    for (const dependent of dependents.get(id) ?? []) {
      const job = byId.get(dependent);
      if (kept.has(dependent) || job?.status !== 'canceled' || job.cancel_on_blocking_job_failure === false) continue;
      kept.add(dependent);
      queue.push(dependent);
    }
  }
  return jobs.flatMap(({ id, status }) => (isOneOf(STOPPED, status) && !kept.has(id) ? [id] : []));
}
