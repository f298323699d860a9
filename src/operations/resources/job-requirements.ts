import type { Client } from '../../client/client.ts';
import { every } from '../../client/every.ts';
import type { Job } from '../../core/contract/job.ts';
import type { NewResourceRequirements } from '../../core/contract/resources.ts';

/** Fields of requirements that one job gets anew. */
export type NewRequirements = Partial<Pick<NewResourceRequirements, 'num_cpus' | 'memory' | 'runtime'>>;

/**
 * The present or new requirements of the job, with these fields: changed if no other job uses them, otherwise new ones.
 */
export async function requirementsWith(
  client: Client,
  job: Job,
  wanted: number | undefined,
  fields: NewRequirements,
): Promise<number> {
  const id = wanted ?? (job.resource_requirements_id as number);
  const { id: _, ...needs } = await client.getResourceRequirements({ params: { id } });
  const body: NewResourceRequirements = { ...needs, ...fields };
  if (needs.name !== 'default' && !(await hasOther(client, job, id))) {
    await client.updateResourceRequirements({ params: { id }, body });
    return id;
  }
  const created = await client.createResourceRequirements({ body: { ...body, name: `${needs.name}_job_${job.id}` } });
  return created.id;
}

/** Gives a job requirements with these fields, and returns their id. */
export async function changeRequirements(client: Client, job: Job, fields: NewRequirements): Promise<number> {
  const needs = await requirementsWith(client, job, undefined, fields);
  const { id, name, command, workflow_id } = job;
  // Torc's own server requires these three in every update.
  const body = { name, command, workflow_id, resource_requirements_id: needs };
  await client.updateJob({ params: { id }, body });
  return needs;
}

/** Whether another job of the workflow uses these requirements. */
async function hasOther(client: Client, job: Job, requirementsId: number): Promise<boolean> {
  const jobs = every((page) => client.listJobs({ query: { workflow_id: job.workflow_id, ...page } }));
  for await (const other of jobs) {
    if (other.id !== job.id && other.resource_requirements_id === requirementsId) return true;
  }
  return false;
}
