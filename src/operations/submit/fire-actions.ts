import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { type AllocationRequest, requestOf, submitTriggers } from '../../core/allocation/request.ts';
import { submitAction } from './submit-allocations.ts';
import { AllocationsFailed, type SubmitTools } from './submit-tools.ts';

export interface Fired {
  readonly jobIds: SlurmJob[];
  readonly errors: string[];
}

/**
 * Claims each due action that submits allocations, and submits them. An action that another process claimed is passed
 * over. One that fails does not keep the others from being tried.
 */
export async function fireActions(
  tools: SubmitTools,
  workflowId: number,
  overrides: Pick<Partial<AllocationRequest>, 'maxParallelJobs'> = {},
): Promise<Fired> {
  const { client } = tools;
  const fired: Fired = { jobIds: [], errors: [] };
  for (const action of await client.listPendingActions({ params: { id: workflowId } })) {
    const request = submitTriggers.has(action.trigger_type) ? requestOf(action) : undefined;
    if (request === undefined) continue;
    const actionId = action.id;
    const maxParallelJobs = overrides.maxParallelJobs ?? request.maxParallelJobs;
    const plans = { max_parallel_jobs: maxParallelJobs, max_queued: tools.settings.maxQueued };
    if (!(await claim(client, workflowId, actionId, plans))) continue;
    const before = fired.jobIds.length;
    const counting = {
      ...tools,
      onSubmitted(allocation: Parameters<SubmitTools['onSubmitted']>[0]) {
        fired.jobIds.push(allocation.job);
        tools.onSubmitted(allocation);
      },
    };
    try {
      await submitAction(counting, actionId, { ...request, workflowId, maxParallelJobs });
    } catch (error) {
      if (!(error instanceof AllocationsFailed) && !(error instanceof ServiceError)) throw error;
      const done = fired.jobIds.length - before;
      fired.errors.push(`action ${action.id}: ${done} of ${request.allocations} allocations: ${error.message}`);
    }
  }
  return fired;
}

/** Claims an action for a person, not for a runner, and plans its allocations with the claim. */
async function claim(
  client: Client,
  workflowId: number,
  actionId: number,
  plans: { readonly max_parallel_jobs: number | undefined; readonly max_queued: number | undefined },
): Promise<boolean> {
  try {
    const body = { plans };
    await client.claimWorkflowAction({ params: { id: workflowId, action_id: actionId }, body });
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 409) return false;
    throw error;
  }
}
