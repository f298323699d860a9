import type { Job } from '../../../core/contract/job.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Database } from '../../store/database.ts';

/** Checks that ids named by jobs belong to records of their workflow, each id once in a request. */
export function createReferences(db: Database) {
  const queries = referenceQueries(db);
  return (workflowId: number) => {
    const check = (what: string, query: ReturnType<typeof referenceQueries>['requirementsOf']) => {
      const seen = new Set<number>();
      return (id: number, { name }: Pick<Job, 'name'>) => {
        if (seen.has(id)) return;
        if (query.get({ workflowId, id }) === undefined) {
          throw new Refusal(
            'REFERENCE_UNKNOWN',
            `job '${name}' names ${what} ${id}, which workflow ${workflowId} does not have`,
            { field: `${what}_id`, found: id, job: name },
          );
        }
        seen.add(id);
      };
    };
    return {
      requirements: check('resource_requirements', queries.requirementsOf),
      scheduler: check('scheduler', queries.schedulerOf),
      handler: check('failure_handler', queries.handlerOf),
    };
  };
}

const referenceQueries = (db: Database) => ({
  requirementsOf: db.prepare<{ workflowId: number; id: number }, { id: number }>(
    'select id from resource_requirements where id = :id and workflow_id = :workflowId',
  ),
  schedulerOf: db.prepare<{ workflowId: number; id: number }, { id: number }>(
    `select id from slurm_scheduler where id = :id and workflow_id = :workflowId
    union all select id from local_scheduler where id = :id and workflow_id = :workflowId`,
  ),
  handlerOf: db.prepare<{ workflowId: number; id: number }, { id: number }>(
    'select id from failure_handler where id = :id and workflow_id = :workflowId',
  ),
});
