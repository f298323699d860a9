import { Refusal } from '../../core/contract/refusals.ts';
import { fixesOf } from '../../core/lifecycle/recovery-lines.ts';
import { recoverWorkflow } from '../recover/recover-workflow.ts';
import type { RecoverRunOptions, RecoverTools } from '../recover/tools.ts';
import { underLease } from '../recovery-lease.ts';
import { unfinishedAllocations } from '../slurm/finish-submissions.ts';
import { regenerate } from '../slurm/regenerate.ts';
import { submitPlanned } from '../slurm/settle-submissions.ts';
import type { Round } from './tools.ts';

/** One recovery of a workflow that is watched. */
export async function recoverOnce(tools: RecoverTools, workflowId: number, options: RecoverRunOptions): Promise<Round> {
  const done = await recoverWorkflow(tools, { workflowId, command: 'watch', options });
  const { next, recovery, reset, regenerated, completed, isOnlyCompleted } = done;
  return {
    reset,
    submitted: [...completed, ...(regenerated?.submitted ?? [])],
    raised: recovery.adjustments.length,
    waiting: isOnlyCompleted ? completed.length : recovery.waiting,
    warnings: regenerated?.warnings ?? [],
    fixes: fixesOf(recovery.plan),
    failures: JSON.stringify(recovery.plan.retried.map(({ id, why, returnCode }) => [id, why, returnCode])),
    next,
  };
}

/** Submits allocations for the jobs that wait. */
export async function scheduleOnce(
  tools: RecoverTools,
  workflowId: number,
): Promise<Pick<Round, 'submitted' | 'warnings'>> {
  const { plan } = await tools.site();
  const submitTools = await tools.submitTools();
  const found = await underLease(tools.client, { workflowId, command: 'watch' }, () =>
    regenerate(submitTools, workflowId, {
      ...plan,
      submits: true,
      isDryRun: false,
      includedJobs: [],
      nowMs: Date.now(),
    }),
  );
  for (const warning of found.warnings) tools.onWarning(warning);
  return found;
}

/** Submits what a limit held back, or an interrupted command left planned. Does not wait for another command that submits. */
export async function submitHeldBack({ client, submitTools }: RecoverTools, workflowId: number): Promise<void> {
  if ((await unfinishedAllocations(client, workflowId)).length === 0) return;
  await submitPlanned({ ...(await submitTools()), onHeld: undefined }, workflowId).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'RECOVERY_ACTIVE')) throw error;
  });
}
