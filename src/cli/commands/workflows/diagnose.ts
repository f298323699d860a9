import type { Spread } from '../../../core/lifecycle/placement/runtime-fit.ts';
import { openWorkflow } from '../../choose/choose-workflow.ts';
import { command } from '../../command/command.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { roughText } from '../../output/words.ts';

export const workflowsDiagnose = command('workflows diagnose [workflow]', {
  says: 'Show whether ready jobs lack only time: every runner ends too early for them.',
  async run(context, [given]) {
    const { id, client } = await openWorkflow(context, given);
    const { diagnose } = await import('../../../operations/explain/diagnose.ts');
    const found = await diagnose(client, id, Date.now());
    const { runners, unlimitedRunners: unlimited, readyJobs, remaining, requested, blocked, tooShort } = found;
    const never = found.unrunnable?.reasons ?? [];
    const { unrunnableLines } = await import('../../slurm/unrunnable-lines.ts');
    const advice = never.length === 0 ? [] : await unrunnableLines(context, id, never);

    context.output.record(
      'diagnose',
      {
        workflow_id: id,
        active_allocations: runners,
        allocations_with_walltime: runners - unlimited,
        allocations_unlimited: unlimited,
        has_unlimited_allocation: unlimited > 0,
        ready_jobs: readyJobs,
        ready_jobs_with_runtime: found.readyJobsWithRuntime,
        allocation_remaining: remaining.count === 0 ? null : remaining,
        ready_job_runtime: requested.count === 0 ? null : requested,
        runtime_blocked_jobs: blocked,
        allocations_too_short_for_longest: tooShort,
        runtime_blocked: blocked > 0,
        unrunnable_jobs: found.unrunnable?.unclaimable_jobs ?? 0,
        unrunnable_reasons: never,
      },
      [
        `Workflow ${id}:`,
        `  Active runners: ${runners} (${unlimited} without an end)`,
        ...(remaining.count === 0 ? [] : [`  Time left to them: ${rangeText(remaining)}`]),
        `  Ready jobs: ${readyJobs}`,
        ...(requested.count === 0 ? [] : [`  Time that they request: ${rangeText(requested)}`]),
        ...(blocked === 0
          ? never.length === 0
            ? ['  No ready job lacks only time.']
            : []
          : [
              `  ${counted(blocked, 'ready job is', 'ready jobs are')} longer than the remaining time of every runner that could take them: request longer allocations, or lower their runtime.`,
            ]),
        ...advice.map((line) => `  ${line}`),
      ].join('\n'),
    );
  },
});

/** `1h to 3h 20m, half of them at most 2h`. */
function rangeText({ min_seconds: least, median_seconds: middle, max_seconds: most }: Spread): string {
  if (least === most) return roughText(least ?? 0);
  return `${roughText(least ?? 0)} to ${roughText(most ?? 0)}, half of them at most ${roughText(middle ?? 0)}`;
}
