import type { Database } from '../../store/database.ts';

/** Finds or creates the class of a job, and caches the classes of this request. */
export function createClasses(db: Database) {
  const queries = classQueries(db);
  return (workflowId: number) => {
    const seen = new Map<string, number>();
    return (requirementsId: number, schedulerId: number | null, labels: string | null): number => {
      const key = `${requirementsId} ${schedulerId ?? 0} ${labels ?? ''}`;
      let id = seen.get(key);
      if (id === undefined) {
        const of = { workflowId, requirementsId, schedulerId, labels };
        id = queries.findClass.get(of)?.id ?? queries.insertClass.insert(of);
        seen.set(key, id);
      }
      return id;
    };
  };
}

const classQueries = (db: Database) => ({
  findClass: db.prepare<
    { workflowId: number; requirementsId: number; schedulerId: number | null; labels: string | null },
    { id: number }
  >(`
    select id
    from job_class
    where workflow_id = :workflowId
      and resource_requirements_id = :requirementsId
      and coalesce(scheduler_id, 0) = coalesce(:schedulerId, 0)
      and coalesce(labels, '') = coalesce(:labels, '')`),
  insertClass: db.prepare<{
    workflowId: number;
    requirementsId: number;
    schedulerId: number | null;
    labels: string | null;
  }>(`
    insert into job_class (workflow_id, resource_requirements_id, scheduler_id, labels)
    values (:workflowId, :requirementsId, :schedulerId, :labels)`),
});
