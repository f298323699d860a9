import type { Client } from '../client/client.ts';
import { all } from '../client/every.ts';
import { hasSlurm } from '../cluster/slurm/slurm.ts';
import { waitingReasons } from '../cluster/slurm/waiting.ts';

/** An allocation of a workflow that Slurm has not started. */
export interface QueuedAllocation {
  readonly slurmJobId: number;
  /** The word of squeue; undefined where there is none or it did not answer. */
  readonly reason: string | undefined;
}

/** The allocations of a workflow that are recorded as pending, each with what Slurm says of it where this machine can ask. */
export async function queuedAllocations(
  client: Client,
  workflowId: number,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<QueuedAllocation[]> {
  const query = { workflow_id: workflowId, status: 'pending' };
  const records = await all((page) => client.listScheduledComputeNodes({ query: { ...query, ...page } }));
  const ids = records.flatMap(({ scheduler_id: id, scheduler_type: type }) => (type === 'slurm' && id > 0 ? [id] : []));
  if (ids.length === 0) return [];
  const none: ReadonlyMap<number, string> = new Map();
  const reasons = hasSlurm(environment) ? await waitingReasons(ids, environment).catch(() => none) : none;
  return ids.map((slurmJobId) => ({ slurmJobId, reason: reasons.get(slurmJobId) }));
}
