import type { ResourceRequirements } from '../../../core/contract/resources.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import { present } from '../present.ts';
import { storedRequirements } from './fields.ts';
import type { Store } from '../store.ts';
import type { SubmitQueries } from '../../submit/queries.ts';

/** Stores requirements: the text as given, and the numbers that it means. */
export const createRequirements =
  ({ find }: Store, queries: SubmitQueries) =>
  (body: ResourceRequirements): ResourceRequirements => {
    find.workflow(body.workflow_id);
    if (body.name === 'default') {
      throw new Refusal('DUPLICATE', "Cannot create resource requirement named 'default' via external API", {
        name: body.name,
      });
    }
    const id = queries.insertRequirements.insert({ workflowId: body.workflow_id, ...storedRequirements(body) });
    return { ...present(body), id };
  };
