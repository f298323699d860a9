import { hasBatch, openBatch } from '../../cluster/open-batch.ts';
import { jobsInQueue, type SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { ScheduledComputeNode } from '../../core/contract/allocation.ts';

/** An allocation of a workflow that Slurm has not started. */
export interface QueuedAllocation {
  readonly slurmJobId: SlurmJob;
  /** The word of squeue; undefined where there is none or it did not answer. */
  readonly reason: string | undefined;
  /** Slurm says that it has ended, and no runner of it reported to the server. */
  readonly hasEnded: boolean;
  /** The name of the batch system, if it is not Slurm. */
  readonly system?: string;
}

/** A person waits for the answers; the programs give up on a controller that is away after 9 to 18 s. */
const AT_MOST_MS = 3_000;

/** Those of these allocations that are recorded as pending, each with what Slurm says of it where this machine can ask. */
export async function queuedAllocations(
  allocations: readonly ScheduledComputeNode[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<QueuedAllocation[]> {
  const ids = jobsInQueue(allocations);
  if (ids.length === 0) return [];
  if (!hasBatch(environment)) return ids.map((slurmJobId) => ({ slurmJobId, reason: undefined, hasEnded: false }));
  const slurm = openBatch(environment, { atMostMs: AT_MOST_MS });
  const [reasons, states] = await Promise.all([
    slurm.waitingReasons(ids).catch(() => new Map<SlurmJob, string>()),
    slurm.statesOf(ids),
  ]);
  return ids.map((slurmJobId) => ({
    slurmJobId,
    reason: reasons.get(slurmJobId),
    hasEnded: states.get(slurmJobId)?.state === 'ended',
    ...(slurm.name === 'Slurm' ? {} : { system: slurm.name }),
  }));
}
