import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { underLease } from './recovery-lease.ts';
import { unfinishedAllocations } from './finish-submissions.ts';
import { settleSubmissions } from './settle-submissions.ts';
import { submitAllocations, submitUnfinished } from './submit-allocations.ts';
import type { AllocationRecord, SubmitTools } from './submit-tools.ts';
import { type AllocationRequest, planOf, requestOfRecord } from '../../core/allocation/request.ts';

export interface Scheduled {
  /** Those of submissions that were finished included. */
  readonly jobIds: readonly SlurmJob[];
  /** The same request had been interrupted: it was completed, and nothing was added. */
  readonly isRepeat: boolean;
}

/**
 * Submits more allocations for a workflow, after those that a killed process left.
 *
 * If one of these was the same request, this is its repetition, and only what was missing is submitted. Allocations that a
 * limit holds back were not interrupted.
 * Throws `AllocationsFailed` if Slurm does not accept all of them.
 */
export async function scheduleNodes(tools: SubmitTools, request: AllocationRequest): Promise<Scheduled> {
  const { client, command = 'slurm schedule-nodes', onWarning } = tools;
  const { workflowId } = request;
  return underLease(client, { workflowId, command, onWait: onWarning }, async () => {
    const left = await unfinishedAllocations(client, workflowId);
    if (left.some((record) => isPartOf(record, request)))
      return { jobIds: await submitUnfinished(tools, workflowId), isRepeat: true };
    const settled = await settleSubmissions(tools, workflowId);
    return { jobIds: [...settled, ...(await submitAllocations(tools, request))], isRepeat: false };
  });
}

const isPartOf = (record: AllocationRecord, request: AllocationRequest): boolean =>
  Boolean(record.plan) &&
  !record.plan?.action_id &&
  !record.plan?.replaces &&
  !record.held &&
  JSON.stringify(requestOfRecord(record)) ===
    JSON.stringify(requestOfRecord({ ...record, scheduler_config_id: request.schedulerId, plan: planOf(request) }));
