import type { Client } from '../../client/client.ts';
import { all } from '../../client/every.ts';
import { storedJobs } from '../../client/stored-plan.ts';
import type { Job } from '../../core/contract/job.ts';
import type { AddedJob, ChangedJob, PlanUpdate, PlanUpdated } from '../../core/contract/plan-update.ts';
import { fieldOf } from '../../core/job/fields.ts';
import type { JobDifference } from '../../core/workflow-file/update/difference.ts';
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

export interface JobsSet {
  readonly updated: PlanUpdated;
  /** The jobs in which something differs, the ones that a runner holds as well. */
  readonly differences: readonly JobDifference[];
}

/** Changes jobs of one workflow, all of them or none. A new command makes a job run again, with what depends on it; others do not. */
export async function setJobs(
  client: Client,
  workflowId: number,
  jobs: readonly Job[],
  settings: JobSettings,
  isDryRun: boolean,
): Promise<JobsSet> {
  const wanted = { ...settings, labels: settings.labels?.toSorted() };
  const given = (Object.keys(wanted) as (keyof JobSettings)[]).filter((field) => wanted[field] !== undefined);
  const changed = jobs.flatMap((job) => {
    const stored = { ...job, labels: job.labels?.toSorted() };
    const fields = given.filter((field) => !isSame(empty(stored[field]), empty(wanted[field])));
    const reruns = fields.some((field) => fieldOf(field).reruns);
    return fields.length === 0 ? [] : [{ job, stored, fields, reruns }];
  });
  const change = changed.map(({ job, fields, reruns }): ChangedJob => ({
    id: job.id,
    runs_again: reruns,
    ...Object.fromEntries(fields.map((field) => [field, wanted[field]])),
  }));
  const nameOf = await requirementsNames(client, workflowId, settings.resource_requirements_id !== undefined);
  const textOf = (field: keyof JobSettings, value: unknown) =>
    field === 'resource_requirements_id' ? nameOf(value) : valueText(value);
  return {
    updated: await changePlan(client, workflowId, { change }, isDryRun),
    differences: changed.map(({ job, stored, fields, reruns }) => ({
      kind: 'changed',
      id: job.id,
      name: job.name,
      reruns,
      changes: fields.map((field) => ({
        field: fieldOf(field).called ?? field,
        before: textOf(field, stored[field]),
        after: textOf(field, wanted[field]),
      })),
    })),
  };
}

/** No labels are stored as none. */
const empty = (value: unknown) => (Array.isArray(value) && value.length === 0 ? undefined : value);

const valueText = (value: unknown): string => {
  if (empty(value) === undefined || value === null) return 'none';
  if (Array.isArray(value)) return value.join(' ');
  return String(value as string | number);
};

/** The names of resource requirements by their ids; nothing is asked where none are needed. */
async function requirementsNames(
  client: Client,
  workflowId: number,
  areNeeded: boolean,
): Promise<(id: unknown) => string> {
  const records = areNeeded
    ? await all((page) => client.listResourceRequirements({ query: { workflow_id: workflowId, ...page } }))
    : [];
  const names = new Map(records.map(({ id, name }) => [id, name]));
  return (id) => names.get(id as number) ?? 'none';
}

async function changePlan(
  client: Client,
  workflowId: number,
  jobs: NonNullable<PlanUpdate['jobs']>,
  isDryRun: boolean,
): Promise<PlanUpdated> {
  const asked = client.updatePlan({ params: { id: workflowId }, query: { dry_run: isDryRun }, body: { jobs } });
  return asked.catch(noPlanUpdates);
}
