import type { Job } from '../../core/contract/job.ts';
import type { Client } from '../client.ts';
import { inParallel } from './in-parallel.ts';
import { withSubstitute } from './unknown-route.ts';

/** Requests in flight at once where the server binds one job at a time. */
const TOGETHER = 32;

/** Binds jobs of one workflow to a Slurm scheduler. Torc's own server binds one job at a time. */
export async function bindJobs(client: Client, jobs: readonly Job[], schedulerId: number): Promise<void> {
  const [{ workflow_id: workflowId }] = jobs as readonly [Job, ...Job[]];
  const body = { scheduler_id: schedulerId, job_ids: jobs.map(({ id }) => id) };
  const bindOne = ({ id, workflow_id, name, command }: Job) =>
    client.updateJob({ params: { id }, body: { workflow_id, name, command, scheduler_id: schedulerId } });
  await withSubstitute<unknown>(client.bindJobs({ params: { id: workflowId }, body }), () =>
    inParallel(jobs, TOGETHER, bindOne),
  );
}
