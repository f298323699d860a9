import { ServiceError } from '../../client/errors.ts';
import { all } from '../../client/every.ts';
import { jobOfAllocation, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';
import { changeAllocations } from '../../client/compat/change-allocations.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';

/** Records that one call of sbatch submits: one, or the tasks of an array, numbered from the id of the first. */
export interface Batch {
  readonly workflowId: number;
  readonly records: readonly AllocationRecord[];
  readonly first: number;
  readonly isArray: boolean;
}

export const jobOfRecord = ({ first, isArray }: Batch, jobId: number, recordId: number): SlurmJob =>
  isArray ? `${jobId}_${recordId - first}` : jobId;

/**
 * Stores the job of records that were submitted.
 *
 * A record that was canceled meanwhile has its job canceled, because nothing else knows of it. A runner that began before
 * has stored its job itself. A record with another job has this one canceled.
 */
export async function settleJob(tools: SubmitTools, batch: Batch, jobId: number): Promise<void> {
  const { records, workflowId, isArray } = batch;
  const ids = records.map(({ id }) => id);
  const array = isArray ? { array_job_id: jobId } : {};
  const change = { from: 'submitting', status: 'pending', scheduler_id: jobId, ...array };
  const changed = new Set(await changeAllocations(tools.client, workflowId, ids, change));
  const others = [...ids.filter((id) => !changed.has(id)), ...(isArray ? await canceledTasks(tools, batch) : [])];
  for (const id of others) await settleOther(tools, batch, jobId, id);
}

async function settleOther({ client, slurm, onWarning }: SubmitTools, batch: Batch, jobId: number, id: number) {
  const params = { id };
  const job = jobOfRecord(batch, jobId, id);
  const now = await client.getScheduledComputeNode({ params }).catch(notThere);
  const array = batch.isArray ? { array_job_id: jobId } : {};
  const mine = { scheduler_id: jobId, ...array };
  if (now === undefined) await slurm.cancel(job);
  else if (now.status === 'canceled' && !isKnown(now)) {
    await slurm.cancel(job);
    await client.updateScheduledComputeNode({ params, body: { ...now, ...mine } });
  } else if (jobOfAllocation(now) !== job && isKnown(now)) {
    onWarning(
      `${slurm.name} accepted the same allocation twice; job ${job} is canceled, job ${jobOfAllocation(now)} stays`,
    );
    await slurm.cancel(job);
  }
}

/** Whether the job of a record is stored. */
const isKnown = ({ scheduler_id: id, array_job_id: array }: ScheduledComputeNode): boolean =>
  (array ?? 0) > 0 || id > 0;

/** Tasks that were canceled before the array got its id: they could not be named to Slurm then. */
async function canceledTasks({ client }: SubmitTools, { workflowId, first }: Batch): Promise<number[]> {
  const query = { workflow_id: workflowId, status: 'canceled' };
  const canceled = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  return canceled.flatMap((each) =>
    each.id - (each.array_task_id ?? Number.NaN) === first && !isKnown(each) ? [each.id] : [],
  );
}

function notThere(error: unknown): undefined {
  if (error instanceof ServiceError && error.status === 404) return undefined;
  throw error;
}
