import type { SlurmJob } from '../core/allocation/slurm-job.ts';
import { Refusal } from '../core/contract/refusals.ts';
import { nextCommand } from '../core/lifecycle/next-command.ts';
import { planRecovery } from '../core/lifecycle/recovery.ts';
import { placeOf } from '../operations/place.ts';
import { underLease } from '../operations/recovery-lease.ts';
import { fixesOf } from '../core/lifecycle/recovery-lines.ts';
import type { Round } from '../operations/watch/tools.ts';
import { askAgent } from '../operations/recover/agent.ts';
import type { BadEnd } from '../operations/recover/bad-ends.ts';
import { variablesFor } from '../operations/recover/program.ts';
import {
  applyRecovery,
  kindOf,
  planOf,
  refuseRecovery,
  type Recovery,
  type RecoverWishes,
  type WorkflowKind,
} from '../operations/recover/recover.ts';
import { unfinishedAllocations } from '../operations/slurm/finish-submissions.ts';
import { regenerate, type Regenerated } from '../operations/slurm/regenerate.ts';
import { settleSubmissions, submitPlanned } from '../operations/slurm/settle-submissions.ts';
import type { Cleaned } from '../operations/orphans/clean.ts';
import type { Context } from './context.ts';
import { findAndClean } from './orphans.ts';
import { tellPreparation } from './output/preparation.ts';
import { type RegenerateWishes, siteOf } from './regenerate.ts';
import { submitTools } from './slurm-tools.ts';

export interface RecoverOptions extends RecoverWishes {
  readonly outputDir: string;
  readonly recoveryHook: string | undefined;
  readonly aiRecovery: boolean;
  readonly aiAgent: string;
  readonly partition: string | undefined;
  readonly walltime: string | undefined;
  readonly maxQueued: number | undefined;
  readonly submitRate: number | undefined;
  readonly jobArrays: boolean;
}

export interface Recovered {
  readonly kind: WorkflowKind;
  readonly cleaned: Cleaned;
  /** Runners that a process table proved lost. */
  readonly lostRunners: number;
  readonly recovery: Recovery;
  readonly reset: number;
  readonly regenerated: Regenerated | undefined;
  /** Allocations of an interrupted submission that were submitted first. */
  readonly completed: readonly SlurmJob[];
  /** That was all that could be done: they wait or run. */
  readonly isOnlyCompleted: boolean;
}

type Diagnosed = Omit<Recovered, 'reset' | 'regenerated'>;

const USUAL: RegenerateWishes = {
  groupBy: 'partition',
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
};

/**
 * The steps of a recovery up to its plan: records are corrected, an agent decides about jobs that wait for a decision,
 * and every bad end gets its cause. With `isDryRun` nothing is changed.
 */
export async function diagnosed(
  context: Context,
  workflowId: number,
  options: RecoverOptions,
  isDryRun: boolean,
): Promise<Diagnosed> {
  const { client, url } = await context.service();
  const { outputDir } = options;
  const { cleaned, recovered } = await findAndClean(context, workflowId, { outputDir, isDryRun });
  for (const warning of cleaned.warnings) context.output.warn(warning);
  const completed = isDryRun ? [] : await completeSubmissions(context, workflowId, options);
  if (options.aiRecovery && !isDryRun) {
    const { run_id: runId = 0 } = await client.getWorkflow({ params: { id: workflowId } });
    const environment = variablesFor(context.environment, { workflowId, runId: runId as number, url });
    await askAgent(client, workflowId, { agent: options.aiAgent, outputDir, environment });
  }
  const isCorrected = cleaned.failed.length + cleaned.finishedWorkKept + cleaned.jobsRequeued + recovered > 0;
  const dead = isDryRun
    ? {
        allocations: cleaned.activeAllocationsEnded + cleaned.pendingAllocationsCleaned,
        requeued: 0,
        runners: cleaned.computeNodesDeactivated + recovered,
        jobs: cleaned.failed.length + cleaned.finishedWorkKept + cleaned.jobsRequeued,
        isCorrected,
      }
    : { allocations: 0, requeued: cleaned.allocationsRequeued, runners: 0, jobs: 0, isCorrected };
  const kind = await kindOf(client, workflowId);
  const found = { kind, cleaned, lostRunners: recovered, completed };
  const standing = await refuseRecovery(client, workflowId, dead).catch((error: unknown) => {
    if (completed.length > 0 && error instanceof Refusal) return undefined;
    throw error;
  });
  if (standing === undefined) return { ...found, recovery: nothingOf(options), isOnlyCompleted: true };
  const orphaned = isDryRun
    ? cleaned.failed.map(({ job_id: id, job_name: name, reason }): BadEnd => ({
        id,
        name,
        status: 'failed',
        why: 'lost',
        words: `return code -128, ${reason}`,
        returnCode: -128,
      }))
    : [];
  const recovery = await planOf(client, workflowId, { ...options, ...standing, orphaned });
  return { ...found, recovery, isOnlyCompleted: false };
}

/** Submits what an interrupted command, or a limit, left planned. Returns the allocations. */
async function completeSubmissions(
  context: Context,
  workflowId: number,
  options: RecoverOptions,
): Promise<readonly SlurmJob[]> {
  const { client } = await context.service();
  if ((await unfinishedAllocations(client, workflowId)).length === 0) return [];
  return settleSubmissions(await recoveryTools(context, options), workflowId);
}

/** The same while `watch` waits: a command that submits is not waited for. */
export async function submitPlannedNow(context: Context, workflowId: number, options: RecoverOptions): Promise<void> {
  const { client } = await context.service();
  if ((await unfinishedAllocations(client, workflowId)).length === 0) return;
  const tools = { ...(await recoveryTools(context, options)), onHeld: undefined };
  await submitPlanned(tools, workflowId).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.code === 'RECOVERY_ACTIVE')) throw error;
  });
}

const nothingOf = (wishes: RecoverWishes): Recovery => ({
  ends: [],
  plan: planRecovery<BadEnd>([], wishes),
  adjustments: [],
  waiting: 0,
  uninitialized: 0,
  isContinued: false,
});

/** Whether anything is left to run: jobs to repeat, or jobs for which nothing is alive. */
export const hasWork = ({ plan, waiting }: Recovery): boolean => plan.retried.length > 0 || waiting > 0;

/** Carries out a plan: requirements, hook, reset, new run, allocations, and an event that says so. */
export async function carryOut(
  context: Context,
  workflowId: number,
  found: Diagnosed,
  options: RecoverOptions,
): Promise<Recovered> {
  const { client, url } = await context.service();
  if (!hasWork(found.recovery)) return { ...found, reset: 0, regenerated: undefined };
  // Whatever prevents a submission is found out before anything is reset.
  const site = found.kind === 'slurm' ? await siteOf(context, workflowId, wishesOf(options)) : undefined;
  const reset = await applyRecovery(client, workflowId, found.recovery, {
    ...options,
    url,
    environment: context.environment,
    isForced: found.cleaned.allocationsRequeued > 0,
    tell: tellPreparation(context.output),
    onHook: (text) => {
      if (text.trim() !== '') context.output.notice(text.trim());
    },
  });
  let regenerated: Regenerated | undefined;
  if (site !== undefined) {
    const tools = await recoveryTools(context, options);
    const plan = { ...site.plan, submits: true, isDryRun: false, includedJobs: [], nowMs: Date.now() };
    regenerated = await regenerate(tools, workflowId, plan);
    for (const warning of regenerated.warnings) context.output.warn(warning);
  }
  const submitted = regenerated?.submitted.length ?? 0;
  const data = {
    category: 'recovery',
    action: 'recover',
    message: `Recovered workflow ${workflowId}: ${reset} job(s) reset, ${submitted} allocation(s) submitted`,
    jobs_reset: reset,
    allocations_submitted: submitted,
    adjustments: found.recovery.adjustments.length,
  };
  await client.createEvent({ body: { workflow_id: workflowId, timestamp: Date.now(), data } });
  return { ...found, reset, regenerated };
}

/** The allocations that a recovery would submit; changes nothing. */
export async function plannedAllocations(
  context: Context,
  workflowId: number,
  recovery: Recovery,
  options: RecoverOptions,
): Promise<Regenerated> {
  const site = await siteOf(context, workflowId, wishesOf(options));
  const tools = await recoveryTools(context, options);
  const retried = new Set(recovery.plan.retried.map(({ id }) => id));
  const follows = recovery.ends.filter(({ why }) => why === 'downstream').map(({ id }) => id);
  return regenerate(tools, workflowId, {
    ...site.plan,
    submits: true,
    isDryRun: true,
    includedJobs: [...retried, ...(retried.size > 0 ? follows : [])],
    ahead: recovery.isContinued
      ? undefined
      : {
          requirements: new Map(
            recovery.adjustments.map(({ correction, after }) => [correction.requirementsId, after]),
          ),
        },
    nowMs: Date.now(),
  });
}

const recoveryTools = (context: Context, options: RecoverOptions) =>
  submitTools(context, { ...options, pollInterval: context.configuration['client.slurm.poll_interval'] }, 'recover');

const wishesOf = ({ partition, walltime }: RecoverOptions): RegenerateWishes => ({ ...USUAL, partition, walltime });

/** The whole recovery for `watch`, under the lease of the workflow. */
export async function recoverNow(context: Context, workflowId: number, options: RecoverOptions): Promise<Round> {
  const { client } = await context.service();
  const done = await underLease(client, { workflowId, command: 'watch' }, async () =>
    carryOut(context, workflowId, await diagnosed(context, workflowId, options, false), options),
  );
  const { kind, recovery, reset, regenerated, completed, isOnlyCompleted } = done;
  const next = await nextOf(context, workflowId, kind);
  return {
    reset,
    submitted: [...completed, ...(regenerated?.submitted ?? [])],
    raised: recovery.adjustments.length,
    waiting: isOnlyCompleted ? completed.length : recovery.waiting,
    warnings: regenerated?.warnings ?? [],
    fixes: fixesOf(recovery.plan),
    failures: JSON.stringify(recovery.plan.retried.map(({ id, why, returnCode }) => [id, why, returnCode])),
    next: next && context.hint(next),
  };
}

/** The command that runs the jobs of a recovery; undefined where it has submitted allocations for them. */
export async function nextOf(
  { service }: Context,
  workflowId: number,
  kind: WorkflowKind,
): Promise<string | undefined> {
  if (kind === 'slurm') return undefined;
  return nextCommand(await placeOf((await service()).client, workflowId));
}

/** Submits allocations for jobs that wait, minus those that wait or run. */
export async function scheduleNow(
  context: Context,
  workflowId: number,
  options: RecoverOptions,
): Promise<Pick<Round, 'submitted' | 'warnings'>> {
  const { client } = await context.service();
  const site = await siteOf(context, workflowId, wishesOf(options));
  const tools = await recoveryTools(context, options);
  const found = await underLease(client, { workflowId, command: 'watch' }, () =>
    regenerate(tools, workflowId, {
      ...site.plan,
      submits: true,
      isDryRun: false,
      includedJobs: [],
      nowMs: Date.now(),
    }),
  );
  for (const warning of found.warnings) context.output.warn(warning);
  return found;
}
