import { Refusal } from '../../../core/contract/refusals.ts';
import { createClasses } from './class.ts';
import type { BindJobsQueries } from './queries.ts';
import { createReferences } from './references.ts';
import type { Store } from '../store.ts';

/** Binds jobs to a scheduler. Returns how many were bound to another one before, or to none. */
export const bindJobRecords = ({ db, find }: Pick<Store, 'db' | 'find'>, queries: BindJobsQueries) => {
  const references = createReferences(db);
  const classes = createClasses(db);
  return (workflowId: number, schedulerId: number, jobIds: readonly number[]): number => {
    find.workflow(workflowId);
    references(workflowId).scheduler(schedulerId, { name: 'of bind_jobs' });
    const classOf = classes(workflowId);
    let bound = 0;
    for (const id of jobIds) {
      const job = queries.bound.get({ id });
      if (job === undefined || job.workflow_id !== workflowId) {
        throw new Refusal('NOT_FOUND', `Job not found with ID: ${id}; no job was bound`, { job_id: id });
      }
      if (job.scheduler_id === schedulerId) continue;
      const classId = classOf(job.resource_requirements_id, schedulerId, job.labels);
      queries.bind.run({ id, schedulerId, classId });
      bound += 1;
    }
    return bound;
  };
};
