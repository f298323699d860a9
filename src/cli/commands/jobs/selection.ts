// Apart from jobs as the routes define them, which take long to load.
import { type JobStatus, jobStatuses } from '../../../core/job/job-statuses.ts';
import { type SelectedJobs, selectJobs } from '../../../operations/jobs/reset-jobs.ts';
import { chooseJob } from '../../choose/choose-record.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../command/failure.ts';
import { integerOption, option } from '../../command/option.ts';

export const statusesOption = option(
  '--status <statuses>',
  'jobs with one of these statuses; may be repeated or separated by commas',
  { many: true },
);
export const returnCodeOption = option('--return-code <n>', 'jobs whose result has this return code', {
  read: integerOption(),
});
export const dryRunOption = option('--dry-run', 'only show which jobs, and change nothing');

/** The selected jobs of a workflow. */
export type Selection =
  /** Ids or names. */
  | { readonly by: 'jobs'; readonly given: readonly string[]; readonly workflow: string | undefined }
  | { readonly by: 'status'; readonly statuses: readonly JobStatus[]; readonly workflow: string }
  | { readonly by: 'return code'; readonly code: number; readonly workflow: string };

/** The values of the options that select jobs. */
interface SelectionValues {
  readonly status?: readonly string[] | undefined;
  readonly returnCode?: number | undefined;
  readonly workflowId?: string | undefined;
}

/** Reads the selection: ids or names, `--status` or `--return-code`, and only one of them. */
export function selectionOf(given: readonly string[], options: SelectionValues): Selection {
  const texts = options.status;
  const code = options.returnCode;
  const workflow = options.workflowId;
  const ways = [given.length > 0, texts !== undefined, code !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError('name the jobs by their ids or names, by --status or by --return-code: one of the three');
  if (given.length > 0) return { by: 'jobs', given, workflow };
  if (workflow === undefined)
    throw new UsageError(`${texts === undefined ? '--return-code' : '--status'} needs --workflow-id`);
  if (code !== undefined) return { by: 'return code', code, workflow };
  const statuses = [...new Set((texts ?? []).flatMap((text) => text.split(',')).map((part) => part.trim()))];
  const unknown = statuses.find((status) => !(jobStatuses as readonly string[]).includes(status));
  if (unknown !== undefined)
    throw new UsageError(`--status: no such status "${unknown}"; expected some of ${jobStatuses.join(', ')}`);
  return { by: 'status', statuses: statuses as JobStatus[], workflow };
}

/** The jobs of a selection, in the order of their ids. */
export async function chooseJobs(context: Context, selection: Selection): Promise<SelectedJobs> {
  const { client } = await context.service();
  if (selection.by === 'jobs') {
    const ids = new Set<number>();
    for (const each of selection.given) ids.add(await chooseJob(context, each, selection.workflow));
    return selectJobs(client, { by: 'ids', ids: [...ids] });
  }
  return selectJobs(client, { ...selection, workflowId: await chooseWorkflow(context, selection.workflow) });
}

/** A selected job in a report. */
export const chosenJob = ({ id, name, status }: SelectedJobs['jobs'][number]) => ({ job_id: id, name, status });
export const chosenLine = ({ id, name, status }: SelectedJobs['jobs'][number]): string => `  ${id} ${name} (${status})`;

/** Reports that no job was selected, with what JSON has of a command that changed nothing. */
export function sayNoneChosen(
  { output, exitWith }: Context,
  { kind, workflowId, error, nothing }: { kind: string; workflowId: number; error: string; nothing: object },
): void {
  output.error(error);
  if (output.format === 'json')
    output.record(kind, { status: 'error', workflow_id: workflowId, ...nothing, error }, '');
  exitWith(1);
}
