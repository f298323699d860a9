import { counted, someOf } from '../../core/quantity/count-text.ts';
import { REPAIRS, type Why, WHYS } from '../../core/lifecycle/recover/recovery.ts';
import { fixesOf } from '../../core/lifecycle/recover/recovery-lines.ts';
import type { BadEnd, Recovery } from '../../core/lifecycle/recover/recovery-plan.ts';
import { adjustmentJson, adjustmentLines } from '../output/adjustments.ts';
import { changedText } from '../output/reruns.ts';

/** Jobs that are shown for a cause. */
const SHOWN = 5;

/** The diagnosis and the plan for a person. */
export function planLines(
  workflowId: number,
  { plan, adjustments, changed, waiting, isContinued }: Recovery,
  isDone: boolean,
): string[] {
  const bad = [...plan.byCause.values()].reduce((sum, jobs) => sum + jobs.length, 0);
  const lines = [
    isContinued
      ? `Workflow ${workflowId}: an earlier recovery was interrupted while it submitted allocations; ${counted(waiting, 'job')} wait`
      : bad === 0
        ? `Workflow ${workflowId}: ${counted(waiting, 'job')} wait, and nothing of the workflow is alive`
        : `Workflow ${workflowId}: ${counted(bad, 'job')} did not end well`,
    ...WHYS.flatMap((why) => causeLines(why, plan.byCause.get(why) ?? [])),
  ];
  for (const line of adjustments.length === 0
    ? []
    : [isDone ? 'Requirements were raised:' : 'Requirements to raise:', ...adjustments.flatMap(adjustmentLines)])
    lines.push(line);
  if (plan.retried.length > 0)
    lines.push(
      `Jobs that run again: ${counted(plan.retried.length, 'job')} (${someOf(plan.retried.map(({ name }) => name))})`,
    );
  for (const line of changedText(changed, { what: isDone ? 'runs' : 'would run', width: Infinity })) lines.push(line);
  if (plan.byCause.has('at_timeout'))
    lines.push('No recovery raises a timeout; this gives a job more time: torc jobs update JOB --timeout DURATION');
  if (plan.left.length > 0)
    lines.push(
      `Jobs that stay as they are: ${counted(plan.left.length, 'job')} (${someOf(plan.left.map(({ name }) => name))}); --retry-unknown runs them again`,
    );
  return lines;
}

function causeLines(why: Why, jobs: readonly BadEnd[]): string[] {
  if (jobs.length === 0) return [];
  const shown = jobs.slice(0, SHOWN).map(({ id, name, words }) => `    job ${id} (${name}): ${words}`);
  const more = jobs.length > SHOWN ? [`    and ${jobs.length - SHOWN} more`] : [];
  return [`  ${counted(jobs.length, 'job')} ${REPAIRS[why].did[jobs.length === 1 ? 0 : 1]}:`, ...shown, ...more];
}

/** Why jobs did not end well, a line for each of the first of a cause. */
export const badEndLines = (ends: readonly BadEnd[]): string[] =>
  WHYS.filter((why) => why !== 'dependency').flatMap((why) => {
    const jobs = ends.filter((each) => each.why === why);
    const [one, several] = REPAIRS[why].did;
    const shown = jobs.slice(0, SHOWN).map(({ id, name, words }) => `Job ${id} (${name}) ${one}: ${words}`);
    const more = jobs.length - shown.length;
    return more === 0 ? shown : [...shown, `${counted(more, 'more job')} ${more === 1 ? one : several}`];
  });

/** `result` as Torc 1.0.0 has it, with what we add. */
export function recoveryJson({ plan, adjustments, changed }: Recovery) {
  const fixes = fixesOf(plan);
  return {
    oom_fixed: fixes.oom,
    timeout_fixed: fixes.timeout,
    unknown_retried: fixes.unknown,
    other_failures: (plan.byCause.get('cpus')?.length ?? 0) + fixes.skipped,
    lost_retried: fixes.lost,
    jobs_to_retry: plan.retried.map(({ id }) => id),
    ...(adjustments.length === 0 ? {} : { adjustments: adjustments.map(adjustmentJson) }),
    ...(changed.length === 0 ? {} : { reruns: changed }),
    causes: [...plan.byCause.values()].flat().map(({ id, name, why, returnCode, words }) => ({
      job_id: id,
      job_name: name,
      cause: why,
      ...(returnCode === undefined ? {} : { return_code: returnCode }),
      detail: words,
    })),
  };
}
