import { all } from '../../client/every.ts';
import { SubmissionFailed } from '../../cluster/batch/batch-system.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { openDrafts } from './drafts.ts';
import { finishSubmissions } from './finish-submissions.ts';
import { planAllocations } from './plan-allocations.ts';
import type { Finished } from './submission-run.ts';
import { AllocationsFailed, type SubmitTools } from './submit-tools.ts';
import type { AllocationRequest } from '../../core/allocation/request.ts';

/**
 * Submits allocations of a scheduler to Slurm and returns their jobs.
 *
 * All of them have records on the server before sbatch runs, so that nothing is submitted twice, and a caller that repeats the
 * command submits what is left. Those that a limit holds back stay planned.
 * Throws `AllocationsFailed` if Slurm does not accept all others.
 */
export async function submitAllocations(tools: SubmitTools, request: AllocationRequest): Promise<SlurmJob[]> {
  if (request.allocations < 1) return [];
  const { workflowId } = request;
  return accepted(tools, async (counting) => {
    const records = await planAllocations(counting, request, await openDrafts(counting, workflowId));
    const areNew = records.every(({ status }) => status === 'submitting');
    return finishSubmissions(counting, workflowId, { ids: new Set(records.map(({ id }) => id)), areNew });
  });
}

/** The same for the allocations of an action, which its claim has planned; where it has not, they are planned now. */
export async function submitAction(
  tools: SubmitTools,
  actionId: number,
  request: AllocationRequest,
): Promise<SlurmJob[]> {
  const { workflowId, schedulerId } = request;
  const query = { workflow_id: workflowId, scheduler_config_id: schedulerId };
  const records = await all((page) => tools.client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const own = records.flatMap(({ id, plan }) => (plan?.action_id === actionId ? [id] : []));
  if (own.length === 0) return submitAllocations(tools, request);
  return accepted(tools, (counting) => finishSubmissions(counting, workflowId, { ids: new Set(own) }));
}

/** The same for everything that is not submitted yet. */
export const submitUnfinished = (tools: SubmitTools, workflowId: number): Promise<SlurmJob[]> =>
  accepted(tools, (counting) => finishSubmissions(counting, workflowId));

async function accepted(tools: SubmitTools, submit: (counting: SubmitTools) => Promise<Finished>): Promise<SlurmJob[]> {
  let submitted = 0;
  const counting: SubmitTools = {
    ...tools,
    onSubmitted(allocation) {
      submitted += 1;
      tools.onSubmitted(allocation);
    },
  };
  try {
    const { jobIds, refused } = await submit(counting);
    const [first] = refused;
    if (first !== undefined) throw new AllocationsFailed(first.message, jobIds.length);
    return jobIds;
  } catch (error) {
    if (!(error instanceof SubmissionFailed) && !(error instanceof Refusal)) throw error;
    throw new AllocationsFailed(error.message, submitted);
  }
}
