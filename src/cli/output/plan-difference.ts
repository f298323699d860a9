import type { PlanUpdated } from '../../core/contract/plan-update.ts';
import { counted, grouped, someOf } from '../../core/quantity/count-text.ts';
import type { PlanDifference, RecordDifference } from '../../core/workflow-file/update/difference.ts';
import { globLines } from '../../core/workflow-file/read/dry-run.ts';
import type { GlobMatch } from '../../core/workflow-file/glob/look.ts';
import type { UpdatedPlan } from '../../operations/update/update-plan.ts';
import { differenceLines } from './job-differences.ts';
import type { Output } from './output.ts';
import { changedText, choiceRecord, heldText, sayLookedAt } from './reruns.ts';

/** Where a command reports an update; `exitWith` sets the exit code of the program. */
interface Reporting {
  readonly output: Output;
  exitWith(code: number): void;
}

/** Prints what an update changes, or has changed. Jobs that stay as they are because they run make the exit code 1. */
export function reportUpdate(
  { output, exitWith }: Reporting,
  workflowId: number,
  { difference, updated, reruns, choice, ...looked }: UpdatedPlan,
  {
    isDryRun,
    isShown = false,
    globs,
  }: { readonly isDryRun: boolean; readonly isShown?: boolean; readonly globs: readonly GlobMatch[] },
): void {
  if (output.format === 'json') {
    const { jobs, records, keptSchedulers, unchanged } = difference;
    const report = {
      workflow_id: workflowId,
      dry_run: isDryRun,
      ...updated,
      unchanged_jobs: unchanged,
      jobs,
      records,
      globs,
      ...(reruns.length === 0 ? {} : { reruns }),
      ...(choice === undefined ? {} : choiceRecord(choice)),
      ...(keptSchedulers.length === 0 ? {} : { kept_schedulers: keptSchedulers }),
      ...(looked.newerPrograms?.length ? { newer_programs: looked.newerPrograms } : {}),
    };
    if (isDryRun) output.json(report);
    else output.jsonLine(report);
  } else {
    const width = isDryRun ? output.width : output.messageWidth;
    const text = isShown
      ? summaryText(workflowId, difference, updated, isDryRun)
      : differenceText(workflowId, { difference, updated, reruns, choice }, { isDryRun, width });
    if (isDryRun) output.text([...globLines(globs), text].join('\n'));
    else output.notice(text);
  }
  sayLookedAt(output, {
    ...looked,
    ...(isShown ? { newerPrograms: [] } : {}),
    ...(isDryRun ? {} : { lostOutputs: undefined }),
  });
  reportHeld({ output, exitWith }, updated, isDryRun);
}

/** Names the jobs that stay as they are because they run; these make the exit code 1. */
export function reportHeld({ output, exitWith }: Reporting, { held }: PlanUpdated, isDryRun: boolean): void {
  if (held.length === 0) return;
  output.warn(heldText(held));
  if (!isDryRun) exitWith(1);
}

const whatOf = (isChosen: boolean, isDryRun: boolean) =>
  isChosen ? (isDryRun ? 'chosen, dry' : 'chosen') : isDryRun ? 'would run' : 'runs';

export function differenceText(
  workflowId: number,
  { difference, updated, reruns, choice }: UpdatedPlan,
  { isDryRun, width }: { readonly isDryRun: boolean; readonly width: number },
): string {
  const { jobs, records, keptSchedulers } = difference;
  const held = new Set(updated.held.map(({ job_id: id }) => id));
  const shown = jobs.filter(({ id }) => id === undefined || !held.has(id));
  const kept =
    keptSchedulers.length === 0 ? [] : [`Schedulers: kept while allocations name them: ${someOf(keptSchedulers)}`];
  const changed = changedText(reruns, { what: whatOf(choice !== undefined, isDryRun), width });
  if (shown.length === 0 && records.length === 0 && held.size === 0)
    return [
      `Workflow ${workflowId} is what the file says; nothing ${isDryRun ? 'would change' : 'changed'}.`,
      ...changed,
      ...kept,
    ].join('\n');
  return [
    ...differenceLines(shown, width),
    ...recordLines(records),
    ...kept,
    ...changed,
    summaryText(workflowId, difference, updated, isDryRun),
  ].join('\n');
}

function summaryText(
  workflowId: number,
  { unchanged }: PlanDifference,
  updated: PlanUpdated,
  isDryRun: boolean,
): string {
  const runs = isDryRun ? 'would run' : updated.rerun_jobs === 1 ? 'runs' : 'run';
  return `Workflow ${workflowId}: ${countsText(updated)}, ${grouped(unchanged)} unchanged; ${counted(updated.rerun_jobs, 'job')} ${runs}.`;
}

export const countsText = ({ added_jobs: added, changed_jobs: changed, removed_jobs: removed }: PlanUpdated) =>
  `${counted(added, 'job')} added, ${grouped(changed)} changed, ${grouped(removed)} removed`;

const WORDS: Readonly<Record<RecordDifference['of'], string>> = {
  files: 'Files',
  user_data: 'User data',
  resource_requirements: 'Resource requirements',
  slurm_schedulers: 'Schedulers',
  failure_handlers: 'Failure handlers',
  workflow_actions: 'Actions',
  settings: 'Settings',
};

/** One line a kind of records: `Files: added raw_31; removed raw_2`. */
function recordLines(records: readonly RecordDifference[]): string[] {
  return (Object.keys(WORDS) as RecordDifference['of'][]).flatMap((of) => {
    const parts = (['added', 'changed', 'removed'] as const).flatMap((kind) => {
      const names = records.filter((each) => each.of === of && each.kind === kind).map(({ name }) => name);
      return names.length === 0 ? [] : [`${kind} ${someOf(names)}`];
    });
    return parts.length === 0 ? [] : [`${WORDS[of]}: ${parts.join('; ')}`];
  });
}
