import type { JobRow } from '../rows/job.ts';
import type { Database } from '../../store/database.ts';

/** What the jobs of a class have in common, beside their requirements. */
export type ClassFields = Pick<JobRow, 'scheduler_id' | 'labels' | 'licenses'>;

/** Finds or creates the class of a job, and caches the classes of this request. */
export function createClasses(db: Database) {
  const queries = classQueries(db);
  return (workflowId: number) => {
    const seen = new Map<string, number>();
    return (requirementsId: number, { scheduler_id: schedulerId, labels, licenses }: ClassFields): number => {
      const key = `${requirementsId} ${schedulerId ?? 0} ${labels ?? ''} ${licenses ?? ''}`;
      let id = seen.get(key);
      if (id === undefined) {
        const of = { workflowId, requirementsId, schedulerId, labels, licenses };
        id = queries.findClass.get(of)?.id ?? queries.insertClass.insert(of);
        seen.set(key, id);
      }
      return id;
    };
  };
}

type StoredClass = {
  workflowId: number;
  requirementsId: number;
  schedulerId: number | null;
  labels: string | null;
  licenses: string | null;
};

const classQueries = (db: Database) => ({
  findClass: db.prepare<StoredClass, { id: number }>(`
    select id
    from job_class
    where workflow_id = :workflowId
      and resource_requirements_id = :requirementsId
      and coalesce(scheduler_id, 0) = coalesce(:schedulerId, 0)
      and coalesce(labels, '') = coalesce(:labels, '')
      and coalesce(licenses, '') = coalesce(:licenses, '')`),
  insertClass: db.prepare<StoredClass>(`
    insert into job_class (workflow_id, resource_requirements_id, scheduler_id, labels, licenses)
    values (:workflowId, :requirementsId, :schedulerId, :labels, :licenses)`),
});
