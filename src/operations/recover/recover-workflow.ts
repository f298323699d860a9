import { hasWork, recoveryOf } from '../../core/lifecycle/recover/recovery-plan.ts';
import { underLease } from '../submit/recovery-lease.ts';
import { regenerate, type Regenerated } from '../submit/regenerate.ts';
import { reinitialize } from '../run/initialize.ts';
import { type RecoveryDiagnosis, diagnoseRecovery } from './diagnose.ts';
import { applyRecovery, noteEnd } from './recover.ts';
import { runUserProgram, variablesFor } from './program.ts';
import type { RecoverRunOptions, RecoverTools } from './tools.ts';

export interface Recovered extends RecoveryDiagnosis {
  /** Jobs that were made ready again. */
  readonly reset: number;
  /** Undefined where no allocations were needed. */
  readonly regenerated: Regenerated | undefined;
}

interface RecoverRequest {
  readonly workflowId: number;
  /** Names the command to others that wait for the lease: `recover`. */
  readonly command: string;
  readonly options: RecoverRunOptions;
}

/**
 * Recovers a workflow, under its lease: corrects the records of what ended without a report, finds the cause of each
 * failure, raises requirements, resets jobs, begins a new run, and submits allocations.
 */
export const recoverWorkflow = async (
  tools: RecoverTools,
  { workflowId, command, options }: RecoverRequest,
): Promise<Recovered> =>
  underLease(tools.client, { workflowId, command }, async () =>
    carryOut(tools, workflowId, await diagnoseRecovery(tools, workflowId, options, false), options),
  );

/**
 * The same for a user who decides: `decide` sees the diagnosis before anything is reset, and may change the options;
 * undefined ends the recovery there.
 */
export async function recoverAsDecided(
  tools: RecoverTools,
  { workflowId, command, options }: RecoverRequest,
  decide: (found: RecoveryDiagnosis) => Promise<RecoverRunOptions | undefined>,
): Promise<Recovered | undefined> {
  return underLease(tools.client, { workflowId, command }, async () => {
    const found = await diagnoseRecovery(tools, workflowId, options, false);
    const chosen = await decide(found);
    if (chosen === undefined) return undefined;
    const recovery = chosen === options ? found.recovery : recoveryOf(found.facts, found.recovery, chosen);
    return carryOut(tools, workflowId, { ...found, recovery }, chosen);
  });
}

/** Carries out a plan: requirements, hook, reset, new run, allocations, and an event that says so. */
async function carryOut(
  tools: RecoverTools,
  workflowId: number,
  found: RecoveryDiagnosis,
  options: RecoverRunOptions,
): Promise<Recovered> {
  const { client, onWarning } = tools;
  if (!hasWork(found.recovery)) return { ...found, reset: 0, regenerated: undefined };
  // Whatever prevents a submission is found out before anything is reset.
  const site = found.kind === 'slurm' ? await tools.site() : undefined;
  // Allocations that wait again are no reason against a new run.
  const begun = { force: found.cleaned.allocationsRequeued > 0, report: tools.onPreparation, keepsUndecided: true };
  const reset = await applyRecovery(
    client,
    workflowId,
    found.recovery,
    () => reinitialize(client, workflowId, begun),
    (runId) => runHook(tools, options.recoveryHook, { workflowId, runId }),
  );
  let regenerated: Regenerated | undefined;
  if (site !== undefined) {
    const plan = { ...site.plan, submits: true, isDryRun: false, includedJobs: [], nowMs: Date.now() };
    regenerated = await regenerate(await tools.submitTools(), workflowId, plan);
    for (const warning of regenerated.warnings) onWarning(warning);
  }
  const submitted = regenerated?.submitted.length ?? 0;
  await noteEnd(client, workflowId, { reset, submitted, adjustments: found.recovery.adjustments.length });
  return { ...found, reset, regenerated };
}

async function runHook(
  { url, environment, onNotice }: RecoverTools,
  hook: string | undefined,
  of: { readonly workflowId: number; readonly runId: number },
): Promise<void> {
  if (hook === undefined) return;
  const variables = variablesFor(environment, { ...of, url });
  const printed = await runUserProgram({ command: hook, more: [String(of.workflowId)], environment: variables });
  if (printed.trim() !== '') onNotice(printed.trim());
}
