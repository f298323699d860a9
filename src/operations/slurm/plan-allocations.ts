import { isUnknownRoute } from '../../client/errors.ts';
import type { NewScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { Drafts } from './drafts.ts';
import { type AllocationRecord, type AllocationRequest, planOf, type SubmitTools } from './submit-tools.ts';

/**
 * Creates the records of all allocations of a request, before the first is submitted, so that whoever repeats the command
 * finds what is left to do.
 *
 * On Torc's own server, which stores no plans, they are created one by one, and the script of each is its plan.
 */
export async function planAllocations(
  { client }: SubmitTools,
  request: AllocationRequest,
  drafts: Drafts,
): Promise<AllocationRecord[]> {
  await drafts.check(request);
  const record: NewScheduledComputeNode = {
    workflow_id: request.workflowId,
    scheduler_id: 0,
    scheduler_config_id: request.schedulerId,
    scheduler_type: 'slurm',
    status: 'planned',
    plan: planOf(request),
  };
  const records = Array.from({ length: request.allocations }, () => record);
  try {
    const body = { scheduled_compute_nodes: records };
    return (await client.createScheduledComputeNodes({ body })).scheduled_compute_nodes as AllocationRecord[];
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
  }
  const created: AllocationRecord[] = [];
  for (const each of records) {
    const body = { ...each, status: 'submitting' };
    const { id } = await client.createScheduledComputeNode({ body });
    created.push({ ...body, id: id });
  }
  for (const each of created) await drafts.write(each, false);
  return created;
}
