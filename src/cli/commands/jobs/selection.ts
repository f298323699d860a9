// Apart from jobs as the routes define them, which take long to load.
import { type JobStatus, jobStatuses } from '../../../core/job/job-statuses.ts';
import { type SelectedJobs, selectJobs } from '../../../operations/jobs/reset-jobs.ts';
import { chooseJob } from '../../choose/choose-record.ts';
import { chooseWorkflow } from '../../choose/choose-workflow.ts';
import type { Context } from '../../command/context.ts';
import { UsageError } from '../../command/failure.ts';

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
