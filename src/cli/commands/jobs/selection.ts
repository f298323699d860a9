import type { Client } from '../../../client/client.ts';
import { all } from '../../../client/every.ts';
import type { Job } from '../../../core/contract/job.ts';
// Apart from jobs as the routes define them, which take long to load.
import { type JobStatus, jobStatuses } from '../../../core/contract/job-statuses.ts';
import { downstreamOf } from '../../../core/lifecycle/downstream.ts';
import { chooseJob } from '../../choose-record.ts';
import { chooseWorkflow } from '../../choose-workflow.ts';
import type { Context } from '../../context.ts';
import { Failure, UsageError } from '../../failure.ts';
import type { Values } from '../../option.ts';

/** The selected jobs of a workflow. */
export type Selection =
  /** Ids or names. */
  | { readonly by: 'jobs'; readonly given: readonly string[]; readonly workflow: string | undefined }
  | { readonly by: 'status'; readonly statuses: readonly JobStatus[]; readonly workflow: string }
  | { readonly by: 'return code'; readonly code: number; readonly workflow: string };

/** Reads the selection: ids or names, `--status` or `--return-code`, and only one of them. */
export function selectionOf(given: readonly string[], options: Values): Selection {
  const texts = options['status'] as readonly string[] | undefined;
  const code = options['returnCode'] as number | undefined;
  const workflow = options['workflowId'] as string | undefined;
  const ways = [given.length > 0, texts !== undefined, code !== undefined].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError('name the jobs by their ids or names, by --status or by --return-code: one of the three');
  if (given.length > 0) return { by: 'jobs', given, workflow };
  if (workflow === undefined) throw new UsageError('--status and --return-code need --workflow-id');
  if (code !== undefined) return { by: 'return code', code, workflow };
  const statuses = [...new Set((texts ?? []).flatMap((text) => text.split(',')).map((part) => part.trim()))];
  const unknown = statuses.find((status) => !(jobStatuses as readonly string[]).includes(status));
  if (unknown !== undefined)
    throw new UsageError(`--status: no such status "${unknown}"; expected some of ${jobStatuses.join(', ')}`);
  return { by: 'status', statuses: statuses as JobStatus[], workflow };
}

export interface Selected {
  readonly workflowId: number;
  readonly jobs: readonly Job[];
}

/** The jobs of a selection, in the order of their ids. */
export async function selectJobs(context: Context, selection: Selection): Promise<Selected> {
  const { client } = await context.service();
  if (selection.by === 'jobs') {
    const ids = new Set<number>();
    for (const each of selection.given) ids.add(await chooseJob(context, each, selection.workflow));
    return byIds(client, [...ids]);
  }
  const workflowId = await chooseWorkflow(context, selection.workflow);
  const listed = (status?: JobStatus) =>
    all((page) => client.listJobs({ query: { workflow_id: workflowId, status, ...page } }));
  if (selection.by === 'status') {
    const lists = await Promise.all(selection.statuses.map(listed));
    return { workflowId, jobs: lists.flat().sort((a, b) => (a.id as number) - (b.id as number)) };
  }
  const results = await all((page) =>
    client.listResults({ query: { workflow_id: workflowId, return_code: selection.code, ...page } }),
  );
  const ids = new Set(results.map(({ job_id: id }) => id));
  return { workflowId, jobs: ids.size === 0 ? [] : (await listed()).filter(({ id }) => ids.has(id as number)) };
}

async function byIds(client: Client, ids: readonly number[]): Promise<Selected> {
  const jobs: Job[] = [];
  for (const id of ids) jobs.push(await client.getJob({ params: { id } }));
  const of = (jobs[0] as Job).workflow_id;
  const foreign = jobs.find((job) => job.workflow_id !== of);
  if (foreign !== undefined)
    throw new Failure(
      `job ${foreign.id}: belongs to workflow ${foreign.workflow_id}, not ${of}; name jobs of one workflow at a time`,
    );
  return { workflowId: of, jobs };
}

/** The direct and indirect dependents of these jobs. */
export async function downstreamJobs(client: Client, { workflowId, jobs }: Selected): Promise<Job[]> {
  const edges = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  const ids = downstreamOf(
    jobs.map(({ id }) => id as number),
    edges,
  );
  if (ids.size === 0) return [];
  const every = await all((page) => client.listJobs({ query: { workflow_id: workflowId, ...page } }));
  return every.filter(({ id }) => ids.has(id as number));
}
