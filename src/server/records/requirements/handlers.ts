import { Refusal } from '../../../core/contract/refusals.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Handlers } from '../../handlers.ts';
import { userActions } from '../event/user-action.ts';
import { listed, read, removeRecord, removeAll } from '../records.ts';
import type { Store } from '../store.ts';
import { requirementsQueries } from './queries.ts';
import { createRequirements, updateRequirements } from './requirements.ts';

export const requirementsHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = requirementsQueries(db);
  const { requirements } = queries;
  const create = createRequirements(store, queries);
  const update = updateRequirements(queries, userActions(store));

  /** 0 means any of them. */
  const refuseUsed = (workflowId: number, id: number) => {
    const jobs = queries.jobsWithRequirements.get({ workflowId, id })?.jobs ?? 0;
    if (jobs === 0) return;
    const which = id === 0 ? 'resource requirements' : `resource requirements ${id}`;
    throw new Refusal('IN_USE', `${which} of workflow ${workflowId}: ${counted(jobs, 'job uses', 'jobs use')} them`, {
      jobs,
    });
  };

  return {
    createResourceRequirements: ({ body }) => create(body),
    listResourceRequirements: listed(find, requirements.list),
    getResourceRequirements: ({ params }) => read(requirements, params.id),
    updateResourceRequirements: ({ params, body }, caller) => update(params.id, body, caller),
    deleteResourceRequirements({ params: { id } }) {
      refuseUsed(read(requirements, id).workflow_id, id);
      return removeRecord(requirements, id);
    },
    deleteResourceRequirementsList({ query: { workflow_id: workflowId } }) {
      refuseUsed(workflowId, 0);
      return { count: removeAll(find, requirements, workflowId) };
    },
  } satisfies Partial<Handlers>;
};
