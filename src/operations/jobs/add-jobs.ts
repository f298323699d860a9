import type { Client } from '../../client/client.ts';
import { createdIds } from '../../client/create-jobs.ts';
import type { NewJob } from '../../core/contract/job.ts';
import type { ResourceRequirements } from '../../core/contract/resources.ts';

interface AddOptions {
  readonly commands: readonly string[];
  /** What each job requests. */
  readonly needs: Pick<ResourceRequirements, 'num_cpus' | 'memory' | 'runtime'>;
  /** Jobs in a request. */
  readonly batch: number;
}

/**
 * Adds a job for each command to a workflow, named `job1`, `job2` and so on after those that it has. Returns their
 * number.
 *
 * All are created or none: created ones are deleted when a later request fails.
 */
export async function addJobs(
  client: Client,
  workflowId: number,
  { commands, needs, batch }: AddOptions,
): Promise<{ readonly jobs: number }> {
  const { total_count: count } = await client.listJobs({ query: { workflow_id: workflowId, limit: 1 } });
  const requirements = await client.createResourceRequirements({
    body: { workflow_id: workflowId, name: `batch_jobs_req_${Date.now()}`, num_gpus: 0, num_nodes: 1, ...needs },
  });
  const jobs = commands.map((command, index): NewJob => ({
    workflow_id: workflowId,
    name: `job${count + index + 1}`,
    command,
    resource_requirements_id: requirements.id,
  }));
  const created: number[] = [];
  try {
    for (let at = 0; at < jobs.length; at += batch) {
      const body = { jobs: jobs.slice(at, at + batch) };
      for (const id of createdIds(await client.createJobs({ query: { reply: 'ids' }, body }))) created.push(id);
    }
  } catch (error) {
    for (const id of created) await client.deleteJob({ params: { id } }).catch(() => {});
    await client.deleteResourceRequirements({ params: { id: requirements.id } }).catch(() => {});
    throw error;
  }
  return { jobs: jobs.length };
}
