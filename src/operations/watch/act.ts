import { Refusal } from '../../core/contract/refusals.ts';
import { fixesOf } from '../../core/lifecycle/recover/recovery-lines.ts';
import { recoverAsDecided } from '../recover/recover-workflow.ts';
import type { RecoverRunOptions, RecoverTools } from '../recover/tools.ts';
import { underLease } from '../submit/recovery-lease.ts';
import { unfinishedAllocations } from '../submit/finish-submissions.ts';
import { regenerate } from '../submit/regenerate.ts';
import { submitPlanned } from '../submit/settle-submissions.ts';
import type { Decide, Round } from './tools.ts';

/** One recovery of a workflow that is watched; undefined where it was decided that it is of no use. */
export async function recoverOnce(
  tools: RecoverTools,
  { workflowId, options, decide }: RecoverOnce,
): Promise<Round | undefined> {
  const request = { workflowId, command: 'watch', options };
  const done = await recoverAsDecided(tools, request, async ({ facts, recovery: { plan, adjustments }, completed }) => {
    const { leaves, isFutile } = decide({
      completed: facts.status.jobs_by_status.completed,
      raised: adjustments.length,
      repeated: plan.retried,
    });
    // What was submitted just now is waited for.
    if (isFutile && completed.length === 0) return undefined;
    return leaves.size === 0 ? options : { ...options, leaves };
  });
  if (done === undefined) return undefined;
  const { next, recovery, reset, regenerated, completed, isOnlyCompleted } = done;
  return {
    reset,
    submitted: [...completed, ...(regenerated?.submitted ?? [])],
    raised: recovery.adjustments.length,
    waiting: isOnlyCompleted ? completed.length : recovery.waiting,
    warnings: regenerated?.warnings ?? [],
    fixes: fixesOf(recovery.plan),
    next,
  };
}

interface RecoverOnce {
  readonly workflowId: number;
  readonly options: RecoverRunOptions;
  readonly decide: Decide;
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
