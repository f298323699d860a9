import { Refusal } from '../../core/contract/refusals.ts';
import type { Scheduling } from '../../runner/facts/scheduling.ts';
import { cancelUnneeded } from './cancel-unneeded.ts';
import { submitPlanned } from './settle-submissions.ts';
import { submitAction } from './submit-allocations.ts';
import type { SubmitTools } from './submit-tools.ts';

/** How a runner carries out actions that submit allocations. */
export const schedulingOf = (tools: SubmitTools, workflowId: number): Scheduling => ({
  async schedule({ schedulerId, ...request }, actionId) {
    if (schedulerId === undefined)
      throw new Refusal('SUBMISSION_REFUSED', 'the action names no scheduler', { actionId });
    await submitAction(tools, actionId, { ...request, workflowId, schedulerId });
  },
  submitPlanned: async () => (await submitPlanned(tools, workflowId)).length,
  cancelUnneeded: () => cancelUnneeded(tools.client, tools.slurm, workflowId),
});
