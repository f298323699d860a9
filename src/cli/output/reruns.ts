import { counted, grouped, someOf } from '../../core/quantity/count-text.ts';
import { type Alike, alikeOf } from '../../core/text/alike.ts';
import { printableLine } from '../../core/text/printable.ts';
import type { NewerProgram } from '../../core/lifecycle/rerun/named-programs.ts';
import type { Rerun, RerunReason, Reruns } from '../../core/lifecycle/rerun/rerun.ts';
import type { PlanUpdated } from '../../core/contract/plan-update.ts';
import type { Choice } from '../../operations/update/choice.ts';
import type { LookedAt } from '../../operations/update/update-plan.ts';
import type { Output } from './output.ts';
import { tableOf } from './table.ts';

/** The jobs that would run after a reinitialization, each with the reasons, and those that would not. */
export function rerunsText(workflowId: number, { run, canceled, failed }: Reruns, width: number): string {
  const others = [
    ...(canceled.length === 0
      ? []
      : [
          `${counted(canceled.length, 'job')} would be canceled, because a job before ${canceled.length === 1 ? 'it' : 'them'} failed: ${namesOf(canceled)}`,
        ]),
    ...(failed.length === 0
      ? []
      : [`${counted(failed.length, 'job')} failed earlier and would not run again: ${namesOf(failed)}`]),
  ];
  if (run.length === 0) return [`No job of workflow ${workflowId} would run.`, ...others].join('\n');
  const title = `${counted(run.length, 'job')} of workflow ${workflowId} would run:`;
  return [title, tableOfReruns(familiesOf(run), 'Why it would run', width), ...others].join('\n');
}

/** Families, or programs, that are shown where others do not matter as much. */
const MOST_SHOWN = 20;

/** Says what a look at the files of a workflow found beside the jobs that run. */
export function sayLookedAt(output: Output, { unseenIn, newerPrograms = [], lostOutputs }: LookedAt): void {
  if (unseenIn !== undefined)
    output.notice(`The files of the workflow were not looked at: it was created in ${printableLine(unseenIn)}`);
  if (newerPrograms.length > 0) output.warn(programsText(newerPrograms));
  if (lostOutputs !== undefined)
    output.warn(
      `none of the ${grouped(lostOutputs)} outputs of the jobs that completed is there: was the folder moved or emptied?`,
    );
}

/** `plot.py is newer than 12 results …`, a line a program. */
const programsText = (programs: readonly NewerProgram[]): string =>
  [
    ...programs
      .slice(0, MOST_SHOWN)
      .map(({ path, jobs }) => `${printableLine(path)} is newer than ${counted(jobs, 'result')} of jobs that name it`),
    'Declare such a program as an input, and a change of it makes its jobs run again; --force NAME runs them now.',
  ].join('\n');

const BECAUSE = 'because files or values have changed';
const VERBS = {
  runs: [`runs again, ${BECAUSE}`, `run again, ${BECAUSE}`],
  'would run': [`would run again, ${BECAUSE}`, `would run again, ${BECAUSE}`],
  chosen: ['runs', 'run'],
  'chosen, dry': ['would run', 'would run'],
  'out of date': ['is out of date', 'are out of date'],
} as const;

/** The jobs that run, would run or only are out of date because of their files and values, by families; nothing where there is none. */
export function changedText(
  run: readonly Rerun[],
  { what, width }: { readonly what: keyof typeof VERBS; readonly width: number },
): string[] {
  if (run.length === 0) return [];
  const [one, several] = VERBS[what];
  const title = `${counted(run.length, 'job')} ${run.length === 1 ? one : several}:`;
  const families = familiesOf(run);
  const more = families.slice(MOST_SHOWN).reduce((sum, { items }) => sum + items.length, 0);
  return [
    title,
    tableOfReruns(families.slice(0, MOST_SHOWN), 'Why', width),
    ...(more > 0 ? [`and ${counted(more, 'more job', 'more jobs')}`] : []),
  ];
}

const familiesOf = (run: readonly Rerun[]) =>
  alikeOf(
    run,
    ({ job_name: name }) => name,
    ({ reasons }) => reasonsText(reasons),
  );

const tableOfReruns = (families: readonly Alike<Rerun>[], why: string, width: number): string =>
  tableOf<Alike<Rerun>>(
    [
      { title: 'Jobs', value: ({ items }) => items.length, align: 'right', importance: 7 },
      { title: 'Name', value: ({ name }) => name, cut: 'middle', importance: 9 },
      { title: why, value: ({ text }) => text, cut: 'end', importance: 8 },
    ],
    families,
    width,
  ).text;

/** Names by families, a line each: `  align_# (8 jobs)`. */
export function foldedNames(names: readonly string[]): string[] {
  const { shown, more } = foldedParts(names, 'job');
  return [...shown, ...more].map((part) => `  ${part}`);
}

/** Names by families on one line: `prepare, align_# (8 jobs) and 3 more jobs`. */
export function familiesText(names: readonly string[], thing: string): string {
  const { shown, more } = foldedParts(names, thing);
  return [shown.join(', '), ...more].join(' ');
}

function foldedParts(names: readonly string[], thing: string) {
  const families = alikeOf(
    names,
    (name) => name,
    () => '',
  );
  const more = families.slice(MOST_SHOWN).reduce((sum, { items }) => sum + items.length, 0);
  return {
    shown: families
      .slice(0, MOST_SHOWN)
      .map(({ items, name }) => printableLine(items.length === 1 ? name : `${name} (${counted(items.length, thing)})`)),
    more: more === 0 ? [] : [`and ${counted(more, `more ${thing}`)}`],
  };
}

/** The jobs that stay as they are because they run, or what depends on them. */
export function heldText(held: PlanUpdated['held']): string {
  const of = held.map(({ job_name: name, reason, running_job_name: running }) =>
    reason === 'running'
      ? `${name} (runs or is about to)`
      : `${name} (${running}, which depends on it, runs or is about to)`,
  );
  return `${counted(held.length, 'job')} stay${held.length === 1 ? 's' : ''} as ${held.length === 1 ? 'it is' : 'they are'} until a later update, because a runner has ${held.length === 1 ? 'it' : 'them'}: ${someOf(of)}`;
}

/** What a choice leaves, for programs. */
export const choiceRecord = ({ toRun, upToDate, others }: Choice) => ({
  chosen: { to_run: toRun, up_to_date: upToDate, others },
});

const namesOf = (jobs: readonly { readonly name: string }[]) => someOf(jobs.map(({ name }) => name));

/** The jobs that it waits for are one reason; of other reasons the first two are shown. */
function reasonsText(reasons: readonly RerunReason[]): string {
  const before = reasons.flatMap((reason) => (reason.kind === 'job' ? [reason.job_name] : []));
  const own = reasons.filter((reason) => reason.kind !== 'job');
  const more = own.length > SHOWN ? [`${own.length - SHOWN} more`] : [];
  return [
    ...own.slice(0, SHOWN).map(reasonText),
    ...more,
    ...(before.length === 0 ? [] : [`waits for ${someOf(before)}, which would run`]),
  ].join('; ');
}

const SHOWN = 2;

const CHANGES = {
  newer: 'is newer than at the last run',
  older: 'is older than at the last run',
  resized: 'has another size than at the last run',
  new: 'is new',
  missing: 'no longer exists',
  deleted: 'was deleted',
  cleaned: 'was removed by clean',
} as const;

function reasonText(reason: RerunReason): string {
  switch (reason.kind) {
    case 'input':
      return `input ${reason.file} ${CHANGES[reason.change]}`;
    case 'output':
      if (reason.change === 'deleted') return `${reason.file} was temporary, and is read again`;
      return `output ${reason.file} ${reason.change === 'cleaned' ? CHANGES.cleaned : 'is missing'}`;
    case 'user_data':
      return 'user data that it reads changed';
    case 'forced':
      return '--force names it';
    case 'outrun':
      return `${printableLine(reason.job_name)} ran again after it`;
    case 'job':
      return `waits for ${reason.job_name}`;
    case 'status':
      if (reason.status === 'terminated') return 'was terminated';
      if (reason.status === 'canceled') return 'was canceled';
      if (reason.status === 'failed') return 'failed';
      if (reason.status === 'pending_failed') return 'failed, and waits for a decision';
      return 'has not run yet';
  }
}
