import type { Client } from '../../client/client.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';
import { countOf, ENDED_BADLY, RECOVERABLE, UNCLAIMED } from '../../core/job/statuses.ts';
import { planRecovery, refusalOfRecovery, type RecoveryDecision } from '../../core/lifecycle/recovery.ts';
import { type Rerun, rerunsOf } from '../../core/lifecycle/rerun.ts';
import { type Adjustment, correctWorkflow } from '../correct-resources.ts';
import { type InitializeNews, reinitialize } from '../initialize.ts';
import type { Dead } from '../orphans/dead.ts';
import { gatherPlanFacts } from '../plan-facts.ts';
import { resetJobs } from '../reset-jobs.ts';
import { type BadEnd, badEnds } from './bad-ends.ts';
import { runUserProgram, variablesFor } from './program.ts';
import { noteBeginning, unfinishedRecovery } from './unfinished.ts';

export interface RecoveryFactors {
  readonly memoryMultiplier: number;
  readonly runtimeMultiplier: number;
  readonly retriesUnknown: boolean;
}

/** How the jobs of a workflow run: in allocations, on hosts, or where a person types. */
export type WorkflowKind = 'slurm' | 'remote' | 'local';

export async function kindOf(client: Client, workflowId: number): Promise<WorkflowKind> {
  const query = { workflow_id: workflowId, limit: 1 };
  if ((await client.listSlurmSchedulers({ query })).items.length > 0) return 'slurm';
  return (await client.listRemoteWorkers({ params: { id: workflowId } })).length > 0 ? 'remote' : 'local';
}

export interface Recovery {
  readonly ends: readonly BadEnd[];
  readonly plan: RecoveryDecision<BadEnd>;
  readonly adjustments: readonly Adjustment[];
  /** Other jobs that run again: their inputs, outputs or values have changed, or they are behind such a job. */
  readonly changed: readonly Rerun[];
  /** Jobs that wait and for which nothing is alive. */
  readonly waiting: number;
  /** Of these, those that only an initialization makes ready: a recovery was killed before it, or a person reset them. */
  readonly uninitialized: number;
  /** An earlier recovery was killed while it submitted allocations: only those that are missing are left to do. */
  readonly isContinued: boolean;
}

type Standing = Pick<Recovery, 'waiting' | 'uninitialized' | 'isContinued'>;

/** Throws `RECOVERY_REFUSED`, with the reason, unless nothing of the workflow is alive and something is left to do. */
export async function refuseRecovery(client: Client, workflowId: number, dead: Dead): Promise<Standing> {
  const status = await client.getWorkflowStatus({ params: { id: workflowId } });
  const jobs = status.jobs_by_status;
  const waiting = countOf(jobs, UNCLAIMED);
  const activeRunners = Math.max(0, status.active_compute_nodes - dead.runners);
  // Nothing says which jobs a runner has claimed and not started.
  const pending = dead.runners > 0 && activeRunners === 0 ? 0 : jobs.pending;
  const { is_uninitialized: isUninitialized } = await client.isUninitialized({ params: { id: workflowId } });
  const reason = refusalOfRecovery({
    workflowId,
    counts: {
      waiting,
      running: Math.max(0, jobs.running - dead.jobs) + pending,
      failed: countOf(jobs, RECOVERABLE) + dead.jobs,
    },
    isCanceled: status.is_canceled,
    isUninitialized,
    activeRunners,
    openAllocations: Math.max(
      0,
      status.pending_scheduled_nodes + status.active_scheduled_nodes - dead.allocations - dead.requeued,
    ),
    isCorrected: dead.isCorrected,
  });
  const standing = { waiting, uninitialized: jobs.uninitialized };
  if (reason === undefined) return { ...standing, isContinued: false };
  if (waiting > 0 && !status.is_canceled && (await unfinishedRecovery(client, workflowId))?.wasSubmitting === true)
    return { ...standing, isContinued: true };
  throw new Refusal(
    'RECOVERY_REFUSED',
    `workflow ${workflowId} cannot be recovered: ${reason.replaceAll('ID', String(workflowId))}`,
  );
}

interface PlanOptions extends RecoveryFactors, Standing {
  /** Jobs that a dry run of the orphan detection would have failed. */
  readonly orphaned: readonly BadEnd[];
  /** The files are on another machine: jobs whose inputs or outputs changed are not looked for. */
  readonly isAway?: boolean;
}

/** What a recovery would do; changes nothing. */
export async function recoveryOf(
  client: Client,
  workflowId: number,
  { waiting, uninitialized, isContinued, orphaned, isAway = false, ...policy }: PlanOptions,
): Promise<Recovery> {
  const standing = { waiting, uninitialized, isContinued };
  if (isContinued)
    return { ...standing, ends: [], plan: planRecovery<BadEnd>([], policy), adjustments: [], changed: [] };
  const instead = await raisedBefore(client, workflowId);
  const ends = [...(await badEnds(client, workflowId, instead)), ...orphaned];
  const plan = planRecovery(ends, policy);
  const adjustments = await correct(client, workflowId, plan, { ...policy, instead, isDryRun: true });
  const all = isAway ? [] : rerunsOf(await gatherPlanFacts(client, workflowId), { onlyChanges: true }).run;
  const known = new Set(ends.map(({ id }) => id));
  return { ...standing, plan, ends, adjustments, changed: all.filter(({ job_id: id }) => !known.has(id)) };
}

interface CorrectOptions extends RecoveryFactors {
  readonly instead: ReadonlyMap<number, ResourceRequirements>;
  readonly isDryRun: boolean;
}

const raisedBefore = async (client: Client, workflowId: number): Promise<CorrectOptions['instead']> =>
  (await unfinishedRecovery(client, workflowId))?.before ?? new Map();

async function correct(
  client: Client,
  workflowId: number,
  plan: RecoveryDecision<BadEnd>,
  { memoryMultiplier, runtimeMultiplier, instead, isDryRun }: CorrectOptions,
): Promise<readonly Adjustment[]> {
  const jobIds = (['memory', 'time', 'cpus'] as const).flatMap((why) =>
    (plan.byCause.get(why) ?? []).map(({ id }) => id),
  );
  if (jobIds.length === 0) return [];
  const { adjustments } = await correctWorkflow(client, workflowId, {
    multipliers: { memory: memoryMultiplier, cpu: memoryMultiplier, runtime: runtimeMultiplier },
    downsizes: false,
    jobIds,
    statuses: ENDED_BADLY,
    instead,
    isDryRun,
  });
  return adjustments;
}

interface ApplyOptions extends RecoveryFactors {
  readonly recoveryHook: string | undefined;
  readonly url: string;
  /** Begins a new run although allocations wait. */
  readonly isForced: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly report: (news: InitializeNews) => void;
  readonly onHook: (output: string) => void;
  /** The files are on another machine: jobs whose inputs or outputs changed are not looked for. */
  readonly isAway?: boolean;
}

/** Raises requirements, runs the hook, and makes the jobs of the plan ready in a new run. Returns how many were reset. */
export async function applyRecovery(
  client: Client,
  workflowId: number,
  { plan, uninitialized, isContinued, adjustments }: Recovery,
  options: ApplyOptions,
): Promise<number> {
  const { run_id: runId = 0 } = await client.getWorkflow({ params: { id: workflowId } });
  if (isContinued) return 0;
  const instead = await raisedBefore(client, workflowId);
  const beginsRun = plan.retried.length + uninitialized > 0;
  await noteBeginning(client, workflowId, { runId: runId as number, beginsRun, adjustments });
  await correct(client, workflowId, plan, { ...options, instead, isDryRun: false });
  if (options.recoveryHook !== undefined) {
    const environment = variablesFor(options.environment, { workflowId, runId: runId as number, url: options.url });
    options.onHook(await runUserProgram({ command: options.recoveryHook, more: [String(workflowId)], environment }));
  }
  if (!beginsRun) return 0;
  if (plan.retried.length > 0) await resetRetried(client, workflowId, plan);
  if (options.isAway === true) {
    await client.resetStatus({ params: { id: workflowId }, query: { force: options.isForced } });
    const query = { only_uninitialized: true, keep_pending_failed: true };
    await client.initializeJobs({ params: { id: workflowId }, query });
  } else
    await reinitialize(client, workflowId, { force: options.isForced, report: options.report, keepsUndecided: true });
  return plan.retried.length;
}

/** In one request if every job that did not end well is repeated: there may be tens of thousands. */
async function resetRetried(client: Client, workflowId: number, plan: RecoveryDecision<BadEnd>): Promise<void> {
  if (plan.left.length === 0) {
    await client.resetJobStatus({ params: { id: workflowId }, query: { failed_only: true } });
    return;
  }
  const jobs = plan.retried.map(({ id, name }) => ({ id, name, workflow_id: workflowId, command: '' }));
  const { reset, failures } = await resetJobs(client, { workflowId, jobs });
  if (failures.length > 0)
    throw new Refusal('RECOVERY_REFUSED', resetFailed(reset.length, jobs.length, failures), { reset: reset.length });
}

/** Failures that are shown. */
const SHOWN = 5;

function resetFailed(reset: number, all: number, failures: readonly { job_id: number; error: string }[]): string {
  const shown = failures.slice(0, SHOWN).map(({ job_id: id, error }) => `job ${id}: ${error}`);
  const more = failures.length > SHOWN ? ` (${failures.length - SHOWN} more not shown)` : '';
  return `Reset ${reset} of ${all} job(s); ${shown.join('; ')}${more}`;
}
