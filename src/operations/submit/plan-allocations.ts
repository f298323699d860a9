import { createAllocations } from '../../client/compat/create-allocations.ts';
import type { NewScheduledComputeNode } from '../../core/contract/allocation.ts';
import type { Drafts } from './drafts.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';
import { type AllocationRequest, planOf } from '../../core/allocation/request.ts';

/**
 * Creates the records of all allocations of a request, before the first is submitted, so that the command, if it is
 * repeated, finds what is left to do.
 *
 * On a server that stores no plans, the script of each is its plan.
 */
export async function planAllocations(
  { client, settings: { maxQueued } }: SubmitTools,
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
    plan: { ...planOf(request), ...(maxQueued === undefined ? {} : { max_queued: maxQueued }) },
  };
  const planned = Array.from({ length: request.allocations }, () => record);
  const { records, arePlanned } = await createAllocations(client, planned);
  const created = records as AllocationRecord[];
  if (!arePlanned) for (const each of created) await drafts.write(each, false);
  return created;
}
