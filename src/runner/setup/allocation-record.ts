import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { pause } from '../../client/long-timers.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { slurmTaskOf } from '../../core/contract/files/runner.ts';
import type { Log } from '../facts/log.ts';
import type { RunnerOptions } from '../facts/options.ts';

/** The record that the service has of the allocation in which a runner runs. */
export interface RunnersAllocation {
  /** The runner's options, completed from the allocation: its row, and the scheduler that it was created for. */
  readonly options: RunnerOptions;
  /** Reports the status of the allocation. Of several runners in it, only the one on the first node reports. */
  becomes(status: 'active' | 'complete' | 'pending', log: Log): Promise<void>;
}

/**
 * Finds the record of the allocation; one that was submitted by hand has no record, and outside Slurm there is none.
 */
export async function findRecord(client: Client, options: RunnerOptions): Promise<RunnersAllocation> {
  const task = slurmTaskOf(options.scheduler);
  const unknown = { options, becomes: async () => {} };
  if (task === undefined) return unknown;
  const jobId = Number(task.jobId);
  const found =
    (await namedRecord(client, options, { jobId, isFirst: task.nodeId === '0' })) ??
    (await recordOf(client, options.workflowId, jobId));
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
        // The command that canceled it has decided its status.
        if (now.status === 'canceled') return;
        await client.updateScheduledComputeNode({ params: { id }, body: { ...now, status } });
      } catch (error) {
        const reason = (error as Error).message;
        log.write('warn', 'The status of the allocation could not be reported', { status, reason });
      }
    },
  };
}

/**
 * The record that the script of the allocation names. Its submitter may have been killed before it stored the id of the
 * job, and a task of an array has an id of its own only now: the runner on the first node stores it.
 *
 * Undefined if the record has another job: the script was kept and submitted again by hand.
 */
async function namedRecord(
  client: Client,
  { workflowId, recordId, allocation }: RunnerOptions,
  { jobId, isFirst }: { readonly jobId: number; readonly isFirst: boolean },
): Promise<ScheduledComputeNode | undefined> {
  if (recordId === undefined) return undefined;
  const params = { id: recordId };
  const record = await client.getScheduledComputeNode({ params }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return undefined;
    throw error;
  });
  if (record === undefined || record.workflow_id !== workflowId) return undefined;
  const isTask = (record.array_task_id ?? undefined) !== undefined;
  const array = isTask ? allocation?.arrayJobId : undefined;
  const known = isTask ? (record.array_job_id ?? 0) : record.scheduler_id;
  if (known > 0 && known !== (array ?? jobId)) return undefined;
  if (!isFirst || record.scheduler_id === jobId) return record;
  const status = record.status === 'canceled' ? record.status : 'active';
  const body = { ...record, status, scheduler_id: jobId, array_job_id: array };
  return client.updateScheduledComputeNode({ params, body });
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
