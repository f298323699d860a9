import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { kindOf, nextAfterRecovery, type WorkflowKind } from '../../core/lifecycle/explain/place.ts';
import {
  type BadEnd,
  type Dead,
  NOTHING_DEAD,
  nothingToRepeat,
  recoverable,
  type Recovery,
  type RecoveryFacts,
  type RecoveryFactors,
  type RecoveryStanding,
  recoveryOf,
} from '../../core/lifecycle/recover/recovery-plan.ts';
import { originOf } from '../../core/lifecycle/recover/recovery.ts';
import { type CorrectedRecords, correctRecords, findDead } from '../orphans/correct-records.ts';
import { settleSubmissions } from '../submit/settle-submissions.ts';
import { askAgent } from './agent.ts';
import { gatherRecovery, gatherStanding } from './facts.ts';
import { variablesFor } from './program.ts';
import type { RecoverRunOptions, RecoverTools } from './tools.ts';

export interface RecoveryDiagnosis extends CorrectedRecords {
  readonly facts: RecoveryFacts;
  readonly kind: WorkflowKind;
  /** The command that runs the jobs; undefined where allocations are submitted for them. */
  readonly next: string | undefined;
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
  const { client, onWarning, submitTools } = tools;
  if (isDryRun) {
    const before = await findDead(tools, workflowId, { asksHosts: false });
    for (const warning of before.cleaned.warnings) onWarning(warning);
    return planned(before, await gatherRecovery(client, workflowId), before.dead, options, orphanedEnds(before));
  }
  const standing = await gatherStanding(client, workflowId);
  const { allocations, workflow } = standing.known;
  // What an interrupted command, or a limit, left planned may be all that there is to do.
  const isUnfinished = allocations.some(({ status }) => status === 'planned' || status === 'submitting');
  const completed = isUnfinished ? await settleSubmissions(await submitTools(), workflowId) : [];
  if (completed.length === 0) await refuseIfAlive(tools, workflowId, standing);
  const corrected = await correctRecords(tools, workflowId);
  for (const warning of corrected.cleaned.warnings) onWarning(warning);
  if (options.agent !== undefined) {
    const { agent, environment, outputDir, url } = { ...tools, agent: options.agent };
    const variables = variablesFor(environment, { workflowId, runId: workflow.run_id ?? 0, url });
    await askAgent(client, workflowId, { agent, outputDir, environment: variables });
  }
  return planned(corrected, await gatherRecovery(client, workflowId), deadAfter(corrected), options, [], completed);
}

/** What counts as alive may be dead: that is looked at only where it decides. */
async function refuseIfAlive(tools: RecoverTools, workflowId: number, standing: RecoveryStanding): Promise<void> {
  if (typeof recoverable(standing, NOTHING_DEAD) !== 'string') return;
  const found = recoverable(standing, (await findDead(tools, workflowId, { asksHosts: true })).dead);
  if (typeof found === 'string') throw new Refusal('RECOVERY_REFUSED', found);
}

function planned(
  { cleaned, lostRunners }: CorrectedRecords,
  facts: RecoveryFacts,
  dead: Dead,
  options: RecoveryFactors,
  orphaned: readonly BadEnd[],
  completed: readonly SlurmJob[] = [],
): RecoveryDiagnosis {
  const { known } = facts;
  const found = recoverable(facts, dead);
  if (typeof found === 'string' && completed.length === 0) throw new Refusal('RECOVERY_REFUSED', found);
  return {
    cleaned,
    lostRunners,
    facts,
    kind: kindOf(known),
    next: nextAfterRecovery(known),
    completed,
    recovery:
      typeof found === 'string'
        ? nothingToRepeat({ waiting: 0, uninitialized: 0, isContinued: false })
        : recoveryOf(facts, found, options, orphaned),
    isOnlyCompleted: typeof found === 'string',
  };
}

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
  cleaned.failed.map(({ job_id: id, job_name: name, reason, cause_code: why }) => ({
    id,
    name,
    status: 'failed',
    why,
    origin: originOf(why, why),
    words: `return code -128, ${reason}`,
    returnCode: -128,
  }));
