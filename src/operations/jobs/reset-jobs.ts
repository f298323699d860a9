import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import type { Job } from '../../core/contract/job.ts';
// Apart from jobs as the routes define them, which take long to load.
import type { JobStatus } from '../../core/job/job-statuses.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { countOf, HELD } from '../../core/job/statuses.ts';
import { downstreamOf } from '../../core/lifecycle/rerun/downstream.ts';
import { counted } from '../../core/quantity/count-text.ts';

/** Which jobs of a workflow. */
export type JobSelection =
  | { readonly by: 'ids'; readonly ids: readonly number[] }
  | { readonly by: 'status'; readonly workflowId: number; readonly statuses: readonly JobStatus[] }
  | { readonly by: 'return code'; readonly workflowId: number; readonly code: number };

export interface SelectedJobs {
  readonly workflowId: number;
  readonly jobs: readonly Job[];
}

/** The jobs of a selection, in the order of their ids. Jobs of two workflows are refused (`JOB_ELSEWHERE`). */
export async function selectJobs(client: Client, selection: JobSelection): Promise<SelectedJobs> {
  if (selection.by === 'ids') return byIds(client, selection.ids);
  const { workflowId } = selection;
  const listed = (status?: JobStatus) =>
    all((page) => client.listJobs({ query: { workflow_id: workflowId, status, ...page } }));
  if (selection.by === 'status') {
    const lists = await Promise.all(selection.statuses.map(listed));
    return { workflowId, jobs: lists.flat().sort((a, b) => a.id - b.id) };
  }
  const results = await all((page) =>
    client.listResults({ query: { workflow_id: workflowId, return_code: selection.code, ...page } }),
  );
  const ids = new Set(results.map(({ job_id: id }) => id));
  return { workflowId, jobs: ids.size === 0 ? [] : (await listed()).filter(({ id }) => ids.has(id)) };
}

async function byIds(client: Client, ids: readonly number[]): Promise<SelectedJobs> {
  const jobs: Job[] = [];
  for (const id of ids) jobs.push(await client.getJob({ params: { id } }));
  const of = (jobs[0] as Job).workflow_id;
  const foreign = jobs.find((job) => job.workflow_id !== of);
  if (foreign !== undefined)
    throw new Refusal('JOB_ELSEWHERE', `job ${foreign.id}: belongs to workflow ${foreign.workflow_id}, not ${of}`);
  return { workflowId: of, jobs };
}

/** The direct and indirect dependents of these jobs. */
export async function downstreamJobs(client: Client, { workflowId, jobs }: SelectedJobs): Promise<Job[]> {
  const edges = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  const ids = downstreamOf(
    jobs.map(({ id }) => id),
    edges,
  );
  if (ids.size === 0) return [];
  const every = await all((page) => client.listJobs({ query: { workflow_id: workflowId, ...page } }));
  return every.filter(({ id }) => ids.has(id));
}

/** Refuses a workflow whose jobs run, or for which runners or allocations are active (`WORKFLOW_BUSY`). */
export async function refuseBusy(client: Client, workflowId: number): Promise<void> {
  const found = await client.getWorkflowStatus({ params: { id: workflowId } });
  const held = countOf(found.jobs_by_status, HELD);
  const allocations = found.pending_scheduled_nodes + found.active_scheduled_nodes;
  const busy = [
    ...(held > 0 ? [counted(held, 'job runs or is about to', 'jobs run or are about to')] : []),
    ...(found.active_compute_nodes > 0
      ? [counted(found.active_compute_nodes, 'runner is', 'runners are') + ' active']
      : []),
    ...(allocations > 0 ? [counted(allocations, 'allocation is', 'allocations are') + ' pending or active'] : []),
  ];
  if (busy.length === 0) return;
  throw new Refusal('WORKFLOW_BUSY', `workflow ${workflowId} is busy: ${busy.join(', ')}; nothing was reset`);
}

export interface FailedReset {
  readonly job_id: number;
  readonly error: string;
}

export interface ResetJobs {
  /** Ids of the jobs that are uninitialized now. */
  readonly reset: readonly number[];
  readonly failures: readonly FailedReset[];
}

/** Concurrent requests: the server writes those that arrive together in one transaction. */
const TOGETHER = 32;

/** Makes jobs uninitialized, one by one: a job that is refused keeps no other from being reset. */
export async function resetJobs(client: Client, { workflowId, jobs }: SelectedJobs): Promise<ResetJobs> {
  const { run_id: runId } = await client.getWorkflow({ params: { id: workflowId } });
  const reset: number[] = [];
  const failures: FailedReset[] = [];
  const one = async (id: number) => {
    try {
      await client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId ?? 0 } });
      reset.push(id);
    } catch (error) {
      failures.push({ job_id: id, error: (error as Error).message });
    }
  };
  for (let at = 0; at < jobs.length; at += TOGETHER)
    await Promise.all(jobs.slice(at, at + TOGETHER).map(({ id }) => one(id)));
  return { reset: reset.sort((a, b) => a - b), failures: failures.sort((a, b) => a.job_id - b.job_id) };
}
