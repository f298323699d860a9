import { all } from '../../../client/every.ts';
import { runtimeFit, type Spread, spreadOf } from '../../../core/lifecycle/runtime-fit.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import type { Command } from '../../command.ts';
import { counted } from '../../../core/quantity/count-text.ts';
import { roughText } from '../../output/words.ts';
import { runtimeOf } from '../../../operations/resource-use.ts';

export const workflowsDiagnose: Command = {
  words: 'workflows diagnose [workflow]',
  says: 'Show whether ready jobs lack only time: every runner ends too early for them.',
  async run(context, [given]) {
    const id = await chooseWorkflow(context, given);
    const { client } = await context.service();
    const jobs = await all((page) => client.listJobs({ query: { workflow_id: id, status: 'ready', ...page } }));
    const needs = await all((page) => client.listResourceRequirements({ query: { workflow_id: id, ...page } }));
    const nodes = await all((page) =>
      client.listComputeNodes({ query: { workflow_id: id, is_active: true, ...page } }),
    );

    const runtimes = new Map(needs.map((each) => [each.id, runtimeOf(each)]));
    const ready = jobs.flatMap(({ resource_requirements_id: needed, labels }) => {
      const runtimeSeconds = runtimes.get(needed);
      return runtimeSeconds === undefined ? [] : [{ runtimeSeconds, labels: labels ?? [] }];
    });
    const allocations = nodes.map(({ end_time: end, labels }) => ({
      labels: labels ?? [],
      secondsLeft: end ? Math.max(0, Math.floor((Date.parse(end) - Date.now()) / 1000)) : undefined,
    }));
    const left = allocations.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    const { blocked, tooShort } = runtimeFit(ready, allocations);
    const remaining = spreadOf(left);
    const asked = spreadOf(ready.map(({ runtimeSeconds }) => runtimeSeconds));
    const unlimited = allocations.length - left.length;

    context.output.record(
      'diagnose',
      {
        workflow_id: id,
        active_allocations: allocations.length,
        allocations_with_walltime: left.length,
        allocations_unlimited: unlimited,
        has_unlimited_allocation: unlimited > 0,
        ready_jobs: jobs.length,
        ready_jobs_with_runtime: ready.length,
        allocation_remaining: remaining,
        ready_job_runtime: asked,
        runtime_blocked_jobs: blocked,
        allocations_too_short_for_longest: tooShort,
        runtime_blocked: blocked > 0,
      },
      [
        `Workflow ${id}:`,
        `  Active runners: ${allocations.length} (${unlimited} without an end)`,
        ...(remaining.count === 0 ? [] : [`  Time left to them: ${rangeText(remaining)}`]),
        `  Ready jobs: ${jobs.length}`,
        ...(asked.count === 0 ? [] : [`  Time that they request: ${rangeText(asked)}`]),
        blocked === 0
          ? '  No ready job lacks only time.'
          : `  ${counted(blocked, 'ready job is', 'ready jobs are')} longer than the remaining time of every runner that could take them: request longer allocations, or lower their runtime.`,
      ].join('\n'),
    );
  },
};

/** `1h to 3h 20m, half of them at most 2h`. */
function rangeText({ min_seconds: least, median_seconds: middle, max_seconds: most }: Spread): string {
  if (least === most) return roughText(least ?? 0);
  return `${roughText(least ?? 0)} to ${roughText(most ?? 0)}, half of them at most ${roughText(middle ?? 0)}`;
}
