import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { planRecovery } from '../../core/lifecycle/recovery.ts';
import { type CorrectedRecords, correctRecords } from '../orphans/correct-records.ts';
import { type Dead, findDead } from '../orphans/dead.ts';
import { unfinishedAllocations } from '../slurm/finish-submissions.ts';
import { settleSubmissions } from '../slurm/settle-submissions.ts';
import { askAgent } from './agent.ts';
import type { BadEnd } from './bad-ends.ts';
import { variablesFor } from './program.ts';
import {
  kindOf,
  recoveryOf,
  type Recovery,
  type RecoveryFactors,
  refuseRecovery,
  type WorkflowKind,
} from './recover.ts';
import type { RecoverRunOptions, RecoverTools } from './tools.ts';

export interface RecoveryDiagnosis extends CorrectedRecords {
  readonly kind: WorkflowKind;
  readonly recovery: Recovery;
  /** Allocations of an interrupted submission that were submitted first. */
  readonly completed: readonly SlurmJob[];
  /** That was all that could be done: they wait or run. */
  readonly isOnlyCompleted: boolean;
}

/**
 * The steps of a recovery up to its plan: records are corrected, an agent decides about jobs that wait for a decision,
 * and every bad end gets its cause. With `isDryRun` nothing is changed, and no host is asked.
 *
 * Whether the recovery is refused is found out first: a command that refuses has changed nothing.
 */
export async function diagnoseRecovery(
  tools: RecoverTools,
  workflowId: number,
  options: RecoverRunOptions,
  isDryRun: boolean,
): Promise<RecoveryDiagnosis> {
  const { client, onWarning } = tools;
  const before = await findDead(tools, workflowId, { asksHosts: !isDryRun });
  const refusal = isDryRun ? undefined : await refusalOf(client, workflowId, before.dead);
  // What an interrupted command left planned may be all that there is to do.
  const completed = isDryRun ? [] : await completeSubmissions(tools, workflowId);
  if (refusal !== undefined && completed.length === 0) throw refusal;
  const corrected = isDryRun ? before : await correctRecords(tools, workflowId);
  for (const warning of corrected.cleaned.warnings) onWarning(warning);
  if (options.agent !== undefined && !isDryRun) await askAbout(tools, workflowId, options.agent);
  const found = { ...corrected, kind: await kindOf(client, workflowId), completed };
  const standing = await refuseRecovery(client, workflowId, isDryRun ? before.dead : deadAfter(corrected)).catch(
    (error: unknown) => {
      if (completed.length > 0 && error instanceof Refusal) return undefined;
      throw error;
    },
  );
  if (standing === undefined) return { ...found, recovery: nothingOf(options), isOnlyCompleted: true };
  const orphaned = isDryRun ? orphanedEnds(corrected) : [];
  const recovery = await recoveryOf(client, workflowId, { ...options, ...standing, orphaned });
  return { ...found, recovery, isOnlyCompleted: false };
}

/** The same diagnosis with the plan for other options. */
export async function planAgain(
  { client }: Pick<RecoverTools, 'client'>,
  workflowId: number,
  found: RecoveryDiagnosis,
  options: RecoveryFactors,
): Promise<RecoveryDiagnosis> {
  const { waiting, uninitialized, isContinued } = found.recovery;
  const standing = { waiting, uninitialized, isContinued, orphaned: [] };
  return { ...found, recovery: await recoveryOf(client, workflowId, { ...options, ...standing }) };
}

/** Submits what an interrupted command, or a limit, left planned. Returns the allocations. */
async function completeSubmissions(
  { client, submitTools }: RecoverTools,
  workflowId: number,
): Promise<readonly SlurmJob[]> {
  if ((await unfinishedAllocations(client, workflowId)).length === 0) return [];
  return settleSubmissions(await submitTools(), workflowId);
}

async function askAbout(tools: RecoverTools, workflowId: number, agent: string): Promise<void> {
  const { client, url, outputDir } = tools;
  const { run_id: runId } = await client.getWorkflow({ params: { id: workflowId } });
  const environment = variablesFor(tools.environment, { workflowId, runId: runId ?? 0, url });
  await askAgent(client, workflowId, { agent, outputDir, environment });
}

/** Why the recovery is refused as things are; undefined if it is not. */
const refusalOf = (client: RecoverTools['client'], workflowId: number, dead: Dead): Promise<Refusal | undefined> =>
  refuseRecovery(client, workflowId, dead).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    },
  );

/** What the counts still contain after the correction. */
function deadAfter({ cleaned, lostRunners }: CorrectedRecords): Dead {
  const jobs = cleaned.failed.length + cleaned.finishedWorkKept + cleaned.jobsRequeued;
  return {
    allocations: 0,
    requeued: cleaned.allocationsRequeued,
    runners: 0,
    jobs: 0,
    isCorrected: jobs + lostRunners > 0,
  };
}

/** The ends that a dry run found and did not record. */
const orphanedEnds = ({ cleaned }: CorrectedRecords): BadEnd[] =>
  cleaned.failed.map(({ job_id: id, job_name: name, reason }) => ({
    id,
    name,
    status: 'failed',
    why: 'lost',
    words: `return code -128, ${reason}`,
    returnCode: -128,
  }));

const nothingOf = (policy: RecoveryFactors): Recovery => ({
  ends: [],
  plan: planRecovery<BadEnd>([], policy),
  adjustments: [],
  changed: [],
  waiting: 0,
  uninitialized: 0,
  isContinued: false,
});
