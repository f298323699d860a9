import type { Client } from '../../../client/client.ts';
import { all } from '../../../client/every.ts';
import { type Job, type JobStatus, jobStatuses } from '../../../core/contract/job.ts';
import { downstreamOf } from '../../../core/lifecycle/downstream.ts';
import { idOf } from '../../choose-workflow.ts';
import { Failure, UsageError } from '../../failure.ts';
import type { Values } from '../../option.ts';

/** Which jobs of a workflow are meant. */
export type Selection =
  | { readonly by: 'ids'; readonly ids: readonly number[] }
  | { readonly by: 'status'; readonly statuses: readonly JobStatus[]; readonly workflowId: number }
  | { readonly by: 'return code'; readonly code: number; readonly workflowId: number };

/** Reads which jobs are meant: ids, `--status` or `--return-code`, and one of them only. */
export function selectionOf(given: readonly string[], options: Values): Selection {
  const texts = options['status'] as readonly string[] | undefined;
  const code = options['returnCode'] as number | undefined;
  const workflowId = options['workflowId'] as number | undefined;
  const ways = [given.length > 0, texts !== undefined, code !== undefined].filter(Boolean).length;
  if (ways !== 1) throw new UsageError('name the jobs by their ids, by --status or by --return-code: one of the three');
  if (given.length > 0) {
    if (workflowId !== undefined)
      throw new UsageError(
        '--workflow-id is for --status and --return-code; ids of jobs say their workflow themselves',
      );
    return { by: 'ids', ids: [...new Set(given.map((id) => idOf('job', id)))] };
  }
  if (workflowId === undefined) throw new UsageError('--status and --return-code need --workflow-id');
  if (code !== undefined) return { by: 'return code', code, workflowId };
  const statuses = [...new Set((texts ?? []).flatMap((text) => text.split(',')).map((part) => part.trim()))];
  const unknown = statuses.find((status) => !(jobStatuses as readonly string[]).includes(status));
  if (unknown !== undefined)
    throw new UsageError(`--status: no such status "${unknown}"; expected some of ${jobStatuses.join(', ')}`);
  return { by: 'status', statuses: statuses as JobStatus[], workflowId };
}

export interface Selected {
  readonly workflowId: number;
  readonly jobs: readonly Job[];
}

/** The jobs of a selection, in the order of their ids. */
export async function selectJobs(client: Client, selection: Selection): Promise<Selected> {
  if (selection.by === 'ids') return byIds(client, selection.ids);
  const { workflowId } = selection;
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

/** The jobs that wait for these, directly or over others. */
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
