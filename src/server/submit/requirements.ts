import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { parseMemory } from '../../core/quantity/bytes.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import type { Store } from '../store/store.ts';
import type { SubmitQueries } from './queries.ts';

/** Stores what jobs need, the words as they were written and beside them the numbers they mean. */
export const createRequirements =
  ({ find }: Store, queries: SubmitQueries) =>
  (body: ResourceRequirements): ResourceRequirements => {
    find.workflow(body.workflow_id);
    if (body.name === 'default') {
      throw new Refusal('DUPLICATE', "Cannot create resource requirement named 'default' via external API", {
        name: body.name,
      });
    }
    const memory = body.memory ?? '1m';
    const runtime = body.runtime ?? 'PT1M';
    const id = queries.insertRequirements.insert({
      workflowId: body.workflow_id,
      name: body.name,
      numCpus: positive('num_cpus', body.num_cpus ?? 1),
      numGpus: body.num_gpus ?? 0,
      numNodes: positive('num_nodes', body.num_nodes ?? 1),
      memory,
      runtime,
      memoryBytes: parseMemory(memory),
      runtimeSeconds: parseDuration(runtime),
    });
    return { ...body, id };
  };

function positive(field: string, found: number): number {
  if (found > 0) return found;
  throw new Refusal('BODY_REFUSED', `${field} must be > 0, got ${found}`, { field, found });
}
