import type { Job } from '../../../../core/contract/job.ts';
import type { RelationQueries } from './queries.ts';

/** Jobs with the ids of their dependencies and of the records that they read and write; empty fields are left out. */
export function related(relations: RelationQueries['relations'], jobs: readonly Job[]): Job[] {
  const ids = JSON.stringify(jobs.map(({ id }) => id));
  const whole = new Map(jobs.map((job) => [job.id, { ...job }]));
  for (const { field, rows } of relations) {
    for (const { job_id: jobId, id } of rows.all({ jobs: ids })) {
      const job = whole.get(jobId) as Job;
      (job[field] ??= []).push(id);
    }
  }
  return [...whole.values()];
}
