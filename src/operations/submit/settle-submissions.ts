import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { finishSubmissions, unfinishedAllocations } from './finish-submissions.ts';
import type { Finished } from './submission-run.ts';
import type { SubmitTools } from './submit-tools.ts';

/**
 * Finishes the submissions of a workflow that a process did not: it was killed, could not reach Slurm, or was held back by a
 * limit. Returns the jobs. Throws if squeue cannot be asked: then nothing is submitted.
 */
export async function settleSubmissions(tools: SubmitTools, workflowId: number): Promise<SlurmJob[]> {
  return warned(tools, await finishSubmissions(tools, workflowId));
}

/**
 * The same for a process that does something else meanwhile: it does not wait for another command that submits.
 *
 * On Torc's own server, which has no leases, a submission is left to the command that began it.
 * Throws `RECOVERY_ACTIVE` while another command submits.
 */
export async function submitPlanned(tools: SubmitTools, workflowId: number): Promise<SlurmJob[]> {
  const planned = (await unfinishedAllocations(tools.client, workflowId)).filter(({ plan }) => plan);
  if (planned.length === 0) return [];
  const ids = new Set(planned.map(({ id }) => id));
  return warned(tools, await finishSubmissions(tools, workflowId, { ids, waits: false }));
}

function warned({ onWarning, slurm }: SubmitTools, { jobIds, refused }: Finished): SlurmJob[] {
  for (const { message, allocations } of refused)
    onWarning(
      `${slurm.name} refused ${allocations === 1 ? 'an allocation' : `${allocations} allocations`}: ${message}`,
    );
  return jobIds;
}
