import type { Client } from '../client/client.ts';
import { isUnknownRoute } from '../client/errors.ts';
import { all } from '../client/every.ts';
import type { Job, JobDependency, JobStatusCounts } from '../core/contract/job.ts';

/** Calls under way at once where the server resets job by job. */
const TOGETHER = 32;

/** How many jobs were interrupted: terminated, or canceled but not because a job failed. */
export async function count(
  client: Client,
  workflowId: number,
  { terminated, canceled }: JobStatusCounts,
): Promise<number> {
  if (terminated + canceled === 0) return 0;
  try {
    return (await client.resetInterruptedJobs({ params: { id: workflowId }, query: { dry_run: true } })).updated_count;
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
    return (await found(client, workflowId)).length;
  }
}

/** Makes them uninitialized. Torc's own server has no route for this: there they are reset one by one. */
export async function reset(client: Client, workflowId: number, runId: number): Promise<void> {
  try {
    await client.resetInterruptedJobs({ params: { id: workflowId }, query: {} });
  } catch (error) {
    if (!isUnknownRoute(error)) throw error;
    const ids = await found(client, workflowId);
    const one = (id: number) => client.manageStatusChange({ params: { id, status: 'uninitialized', run_id: runId } });
    for (let at = 0; at < ids.length; at += TOGETHER) await Promise.all(ids.slice(at, at + TOGETHER).map(one));
  }
}

async function found(client: Client, workflowId: number): Promise<number[]> {
  const jobs = await all((page) => client.listJobs({ query: { workflow_id: workflowId, ...page } }));
  const edges = await all((page) => client.listJobDependencies({ params: { id: workflowId }, query: page }));
  return interruptedOf(jobs, edges);
}

type Status = Pick<Job, 'id' | 'status' | 'cancel_on_blocking_job_failure'>;
type Edge = Pick<JobDependency, 'job_id' | 'depends_on_job_id'>;

/** The jobs that were terminated, and those that were canceled for another reason than a job that failed. */
export function interruptedOf(jobs: readonly Status[], edges: readonly Edge[]): number[] {
  const byId = new Map(jobs.map((job) => [job.id, job]));
  const dependants = new Map<number, number[]>();
  for (const { job_id: id, depends_on_job_id: upstream } of edges) {
    const known = dependants.get(upstream);
    if (known === undefined) dependants.set(upstream, [id]);
    else known.push(id);
  }
  const kept = new Set<number>();
  const queue = jobs.flatMap(({ id, status }) => (status === 'failed' ? [id] : []));
  for (const id of queue) {
    for (const dependant of dependants.get(id) ?? []) {
      const job = byId.get(dependant);
      if (kept.has(dependant) || job?.status !== 'canceled' || job.cancel_on_blocking_job_failure === false) continue;
      kept.add(dependant);
      queue.push(dependant);
    }
  }
  return jobs.flatMap(({ id, status }) =>
    (status === 'terminated' || status === 'canceled') && !kept.has(id) ? [id] : [],
  );
}
