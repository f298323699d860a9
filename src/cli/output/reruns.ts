import { counted, someOf } from '../../core/quantity/count-text.ts';
import type { Rerun, RerunReason, Reruns } from '../../core/lifecycle/recover/rerun.ts';
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
  return [title, tableOfReruns(run, 'Why it would run', width), ...others].join('\n');
}

/** Jobs that are shown where others do not matter as much. */
const MOST_SHOWN = 20;

/** The jobs that run, or would run, because of their files and values; nothing where none does. */
export function changedText(
  run: readonly Rerun[],
  { isDryRun, width }: { isDryRun: boolean; width: number },
): string[] {
  if (run.length === 0) return [];
  const runs = isDryRun ? 'would run' : run.length === 1 ? 'runs' : 'run';
  const more = run.length - MOST_SHOWN;
  return [
    `${counted(run.length, 'job')} ${runs} again, because files or values have changed:`,
    tableOfReruns(run.slice(0, MOST_SHOWN), 'Why', width),
    ...(more > 0 ? [`and ${counted(more, 'more job', 'more jobs')}`] : []),
  ];
}

const tableOfReruns = (run: readonly Rerun[], why: string, width: number): string =>
  tableOf<Rerun>(
    [
      { title: 'ID', value: ({ job_id: id }) => id, align: 'right', importance: 3 },
      { title: 'Name', value: ({ job_name: name }) => name, cut: 'middle', importance: 9 },
      { title: why, value: ({ reasons }) => reasonsText(reasons), cut: 'end', importance: 8 },
    ],
    run,
    width,
  ).text;

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
} as const;

function reasonText(reason: RerunReason): string {
  switch (reason.kind) {
    case 'input':
      return `input ${reason.file} ${CHANGES[reason.change]}`;
    case 'output':
      return `output ${reason.file} is missing`;
    case 'user_data':
      return 'user data that it reads changed';
    case 'job':
      return `waits for ${reason.job_name}`;
    case 'status':
      if (reason.status === 'terminated') return 'was terminated';
      if (reason.status === 'pending_failed') return 'failed, and waits for a decision';
      return 'has not run yet';
  }
}
