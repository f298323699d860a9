import type { Client } from '../../client/client.ts';
import { pause } from '../../client/long-timers.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { slurmTaskOf } from '../../core/contract/files/runner.ts';
import type { Log } from '../log.ts';
import type { RunnerOptions } from '../options.ts';

/** The allocation in which a runner runs, as the service knows it. */
export interface Allocation {
  /** The runner's options, completed from the allocation: its row, and the scheduler that it was created for. */
  readonly options: RunnerOptions;
  /** Reports the status of the allocation. Of several runners in it, only the one on the first node reports. */
  becomes(status: 'active' | 'complete' | 'pending', log: Log): Promise<void>;
}

/**
 * Finds the record of the allocation; one that was submitted by hand has no record, and outside Slurm there is none.
 */
export async function findAllocation(client: Client, options: RunnerOptions): Promise<Allocation> {
  const task = slurmTaskOf(options.scheduler);
  const unknown = { options, becomes: async () => {} };
  if (task === undefined) return unknown;
  const found = await recordOf(client, options.workflowId, Number(task.jobId));
  if (found?.id === undefined || found.id === null) return unknown;
  const id = found.id;
  return {
    options: {
      ...options,
      scheduler: { ...options.scheduler, scheduler_id: id },
      schedulerConfigId: options.schedulerConfigId ?? found.scheduler_config_id,
    },
    async becomes(status, log) {
      if (task.nodeId !== '0') return;
      try {
        const now = await client.getScheduledComputeNode({ params: { id } });
        // Whoever canceled it has decided its status.
        if (now.status === 'canceled') return;
        await client.updateScheduledComputeNode({ params: { id }, body: { ...now, status } });
      } catch (error) {
        const reason = (error as Error).message;
        log.write('warn', 'The status of the allocation could not be reported', { status, reason });
      }
    },
  };
}

/** How long a runner waits for its submitter, which stores the job id after sbatch returned. */
const LOOKS = 20;
const LOOK_MS = 500;

/** A job that was just submitted may start before its id is stored: then a record of the workflow is `submitting`. */
async function recordOf(client: Client, workflowId: number, jobId: number): Promise<ScheduledComputeNode | undefined> {
  const list = async (query: { scheduler_id?: number; status?: string }) =>
    (await client.listScheduledComputeNodes({ query: { workflow_id: workflowId, ...query } })).items;
  for (let look = 1; ; look += 1) {
    // In this order: between the two calls the id may be stored.
    const isSubmitting = (await list({ status: 'submitting' })).length > 0;
    const found = (await list({ scheduler_id: jobId })).at(-1);
    if (found !== undefined || !isSubmitting || look === LOOKS) return found;
    await pause(LOOK_MS);
  }
}
