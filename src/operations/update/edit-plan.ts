import type { Client } from '../../client/client.ts';
import { storedJobs } from '../../client/stored-plan.ts';
import type { Job } from '../../core/contract/job.ts';
import type { AddedJob, ChangedJob, PlanUpdate, PlanUpdated } from '../../core/contract/plan-update.ts';
import { fieldOf } from '../../core/job/fields.ts';
import { isSame } from '../../core/workflow-file/update/same.ts';
import { isBegun, isRemoved } from '../../core/workflow-file/update/stored.ts';
import { noPlanUpdates } from './update-plan.ts';

/** Adds a job to a workflow, also while it runs. Jobs that read its outputs wait for it and run again. */
export async function addJob(
  client: Client,
  workflowId: number,
  job: AddedJob,
  isDryRun: boolean,
): Promise<PlanUpdated> {
  const [reads, writes] = [new Set(job.input_file_ids), new Set(job.output_file_ids)];
  const upstream = new Set(job.depends_on_job_ids);
  const change: ChangedJob[] = [];
  const jobs = reads.size + writes.size === 0 ? [] : await storedJobs(client, workflowId).catch(noPlanUpdates);
  // Before an initialization the files alone say who waits for whom.
  for (const other of isBegun(jobs) ? jobs : []) {
    if (isRemoved(other)) continue;
    if (other.output_file_ids?.some((file) => reads.has(file)) === true) upstream.add(other.id);
    if (other.input_file_ids?.some((file) => writes.has(file)) === true)
      change.push({ id: other.id, runs_again: true, add: { depends_on_job_ids: [-1] } });
  }
  const add = [{ ...job, depends_on_job_ids: [...upstream] }];
  return changePlan(client, workflowId, { add, change }, isDryRun);
}

/** What of a job changes; absent fields stay. */
export type JobSettings = Pick<ChangedJob, 'command' | 'resource_requirements_id' | 'priority' | 'labels'>;

/** Changes jobs of one workflow, all of them or none. A new command makes a job run again, with what depends on it; others do not. */
export async function setJobs(
  client: Client,
  workflowId: number,
  jobs: readonly Job[],
  settings: JobSettings,
  isDryRun: boolean,
): Promise<PlanUpdated> {
  const change = jobs.flatMap((job): ChangedJob[] => {
    const stored = { ...job, labels: job.labels?.toSorted() };
    const wanted = { ...settings, labels: settings.labels?.toSorted() };
    const other = Object.entries(wanted).filter(
      ([field, value]) => value !== undefined && !isSame(empty(stored[field as keyof JobSettings]), empty(value)),
    );
    if (other.length === 0) return [];
    return [
      {
        id: job.id,
        runs_again: other.some(([field]) => fieldOf(field as keyof JobSettings).reruns),
        ...Object.fromEntries(other),
      },
    ];
  });
  return changePlan(client, workflowId, { change }, isDryRun);
}

/** No labels are stored as none. */
const empty = (value: unknown) => (Array.isArray(value) && value.length === 0 ? undefined : value);

async function changePlan(
  client: Client,
  workflowId: number,
  jobs: NonNullable<PlanUpdate['jobs']>,
  isDryRun: boolean,
): Promise<PlanUpdated> {
  const asked = client.updatePlan({ params: { id: workflowId }, query: { dry_run: isDryRun }, body: { jobs } });
  return asked.catch(noPlanUpdates);
}
