import { Refusal } from '../../../core/contract/refusals.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import type { Handlers } from '../../handlers.ts';
import { userActions } from '../event/user-action.ts';
import { listByQuery, read, removeAll, removeRecord } from '../records.ts';
import type { Store } from '../store.ts';
import { requirementsQueries } from './queries.ts';
import { presentFields } from '../present.ts';
import { storedRequirements } from './fields.ts';

export const requirementsHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = requirementsQueries(db);
  const { requirements } = queries;
  const noteAction = userActions(store);

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
    createResourceRequirements({ body }) {
      find.workflow(body.workflow_id);
      if (body.name === 'default') {
        throw new Refusal('DUPLICATE', "Cannot create resource requirement named 'default' via external API", {
          name: body.name,
        });
      }
      const id = queries.insertRequirements.insert({ workflow_id: body.workflow_id, ...storedRequirements(body) });
      return { ...presentFields(body), id };
    },
    listResourceRequirements: listByQuery(find, requirements.list),
    getResourceRequirements: ({ params }) => read(requirements, params.id),
    /** Fields that are left out get their default. The new values apply to all jobs with these requirements. */
    updateResourceRequirements({ params: { id }, body }, caller) {
      const { workflow_id: workflowId, name } = read(requirements, id);
      if (body.name !== name && (body.name === 'default' || name === 'default')) {
        throw new Refusal('DUPLICATE', "The name 'default' is reserved for the requirements of jobs that name none", {
          field: 'name',
        });
      }
      queries.updateRequirements.run({ id, ...storedRequirements(body) });
      const after = read(requirements, id);
      const facts = { resource_requirements_id: id, resource_requirements: after };
      noteAction(workflowId, caller, 'update_resource_requirements', facts);
      return after;
    },
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
