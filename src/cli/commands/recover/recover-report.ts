import { hasWork } from '../../../core/lifecycle/recover/recovery-plan.ts';
import { fixesOf, noneLine, summaryLines } from '../../../core/lifecycle/recover/recovery-lines.ts';
import { type CheckedResources, checkResources } from '../../../operations/resources/check-resources.ts';
import type { Cleaned } from '../../../operations/orphans/clean.ts';
import type { Recovered } from '../../../operations/recover/recover-workflow.ts';
import type { RecoverRunOptions } from '../../../operations/recover/tools.ts';
import type { Context } from '../../command/context.ts';
import { cleanedJson } from '../../output/cleaned.ts';
import { lackReported, reported } from '../../output/measured-use.ts';
import { recoveryJson } from '../../recovery/recovered.ts';

/** Why nothing was recovered, although jobs failed; as in Torc 1.0.0 that is a failure of the command, too. */
export function failureOf({ recovery }: Pick<Recovered, 'recovery'>): string | undefined {
  const fixes = fixesOf(recovery.plan);
  return recovery.plan.retried.length + recovery.waiting === 0 && fixes.skipped > 0 ? noneLine(fixes) : undefined;
}

export const endLines = (
  workflowId: number,
  { next, recovery, reset, cleaned }: Pick<Recovered, 'next' | 'recovery' | 'reset' | 'cleaned'>,
  isDryRun: boolean,
): string[] =>
  isDryRun && failureOf({ recovery }) !== undefined
    ? [`[DRY RUN] Summary for workflow ${workflowId}`, 'No auto-recoverable jobs found.']
    : summaryLines({ workflowId, fixes: fixesOf(recovery.plan), reset, isDryRun, next, system: cleaned.system });

export const hasCleaned = (cleaned: Cleaned): boolean =>
  cleaned.failed.length +
    cleaned.finishedWorkKept +
    cleaned.jobsRequeued +
    cleaned.activeAllocationsEnded +
    cleaned.pendingAllocationsCleaned +
    cleaned.computeNodesDeactivated >
  0;

export function nextLine(
  { hint }: Context,
  id: number,
  { next }: Pick<Recovered, 'next'>,
  { works, isDryRun }: { readonly works: boolean; readonly isDryRun: boolean },
): string {
  if (!works) return 'No job runs again.';
  if (isDryRun) {
    const same = 'To recover the workflow, give this command without --dry-run';
    return next === undefined ? same : `${same}; then run the jobs: ${hint(next)}`;
  }
  return next === undefined ? `How it goes on: ${hint(`torc status ${id}`)}` : `Run them: ${hint(next)}`;
}

export const NO_USES: CheckedResources = {
  looked: 0,
  measurements: [],
  violations: [],
  within: [],
  lacking: [],
  families: [],
  jobs: [],
  adjustments: [],
};

/** What the jobs used; asked before they are reset, because a job that is reset has no current result. */
export async function usesOf({ service, output }: Context, id: number): Promise<CheckedResources> {
  const { client } = await service();
  return output.format === 'json'
    ? checkResources(client, id, { runId: undefined, includesFailed: true, leastOverPercent: 1 })
    : NO_USES;
}

interface Report {
  readonly done: Recovered;
  readonly options: RecoverRunOptions;
  readonly uses: CheckedResources;
  readonly isDryRun: boolean;
}

export function reportJson(id: number, { done, options, uses, isDryRun }: Report) {
  const { next, recovery } = done;
  return {
    workflow_id: id,
    dry_run: isDryRun,
    memory_multiplier: options.memoryMultiplier,
    runtime_multiplier: options.runtimeMultiplier,
    result: recoveryJson(done.recovery),
    diagnosis: {
      workflow_id: id,
      total_results: uses.looked,
      over_utilization_count: uses.violations.length,
      violations: uses.violations.map(reported),
      resource_violations_count: uses.lacking.length,
      resource_violations: uses.lacking.map(lackReported),
    },
    orphans: cleanedJson(done.cleaned, done.lostRunners, isDryRun),
    jobs_reset: done.reset,
    allocations_submitted: done.completed.length + (done.regenerated?.submitted.length ?? 0),
    ...(hasWork(recovery) && next !== undefined ? { next } : {}),
  };
}
