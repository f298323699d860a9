import type { NewResourceRequirements, ResourceRequirements } from '../../../core/contract/resources.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { presentFields } from '../present.ts';
import { storedRequirements } from './fields.ts';
import type { Caller } from '../../caller.ts';
import type { NoteAction } from '../event/user-action.ts';
import { read } from '../records.ts';
import type { Store } from '../store.ts';
import type { RequirementsQueries } from './queries.ts';

/** Stores requirements: the text as given, and the numbers that it means. */
export const createRequirements =
  ({ find }: Store, queries: RequirementsQueries) =>
  (body: NewResourceRequirements): ResourceRequirements => {
    find.workflow(body.workflow_id);
    if (body.name === 'default') {
      throw new Refusal('DUPLICATE', "Cannot create resource requirement named 'default' via external API", {
        name: body.name,
      });
    }
    const id = queries.insertRequirements.insert({ workflow_id: body.workflow_id, ...storedRequirements(body) });
    return { ...presentFields(body), id };
  };

/**
 * Replaces requirements: fields that are left out get their default. The new values apply to all jobs with these
 * requirements.
 */
export const updateRequirements =
  (queries: RequirementsQueries, noteAction: NoteAction) =>
  (id: number, body: NewResourceRequirements, caller: Caller): ResourceRequirements => {
    const { workflow_id: workflowId, name } = read(queries.requirements, id);
    if (body.name !== name && (body.name === 'default' || name === 'default')) {
      throw new Refusal('DUPLICATE', "The name 'default' is reserved for the requirements of jobs that name none", {
        field: 'name',
      });
    }
    queries.updateRequirements.run({ id, ...storedRequirements(body) });
    const after = read(queries.requirements, id);
    noteAction(workflowId, caller, 'update_resource_requirements', {
      resource_requirements_id: id,
      resource_requirements: after,
    });
    return after;
  };
