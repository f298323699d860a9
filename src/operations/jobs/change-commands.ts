import type { Client } from '../../client/client.ts';
import type { Job } from '../../core/contract/job.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { type FailedReset, refuseBusy, resetJobs, selectJobs } from './reset-jobs.ts';

export interface NewCommand {
  readonly jobId: number;
  readonly command: string;
}

interface ChangedCommand {
  readonly job: Job;
  readonly command: string;
}

interface ChangedCommands {
  readonly changes: readonly ChangedCommand[];
  readonly failures: readonly FailedReset[];
}

/**
 * Gives jobs of a workflow other commands. A job that has ended becomes uninitialized for that, because a command is
 * fixed from its initialization on; a recovery or a reinitialization makes it ready. Throws `WORKFLOW_BUSY` and
 * `JOB_ELSEWHERE`.
 */
export async function changeCommands(
  client: Client,
  workflowId: number,
  commands: readonly NewCommand[],
  isDryRun: boolean,
): Promise<ChangedCommands> {
  const { jobs } = await selectJobs(client, { by: 'ids', ids: commands.map(({ jobId }) => jobId) });
  const foreign = jobs.find((job) => job.workflow_id !== workflowId);
  if (foreign !== undefined)
    throw new Refusal(
      'JOB_ELSEWHERE',
      `job ${foreign.id}: belongs to workflow ${foreign.workflow_id}, not ${workflowId}`,
    );
  const changes = commands.map(({ command }, index) => ({ job: jobs[index] as Job, command }));
  if (isDryRun) return { changes, failures: [] };
  await refuseBusy(client, workflowId);
  const ended = jobs.filter(({ status }) => status !== 'uninitialized');
  const { failures } = await resetJobs(client, { workflowId, jobs: ended });
  const refused = new Set(failures.map(({ job_id: id }) => id));
  const changed = changes.filter(({ job }) => !refused.has(job.id as number));
  for (const { job, command } of changed)
    await client.updateJob({
      params: { id: job.id as number },
      // Torc's own server requires these three in every update.
      body: {
        name: job.name,
        command,
        workflow_id: workflowId,
        resource_requirements_id: job.resource_requirements_id,
      },
    });
  return { changes: changed, failures };
}
