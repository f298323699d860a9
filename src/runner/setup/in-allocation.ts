import type { Allocation } from '../../cluster/batch/allocation.ts';
import type { BatchSystem } from '../../cluster/batch/batch-system.ts';
import { heldByAllocation } from '../../core/allocation/cluster-licenses.ts';
import { slurmRunFields } from '../../core/allocation/run-fields.ts';
import type { AllocationEnding, RunnerOptions } from '../facts/options.ts';

export interface InAllocationOptions {
  /** It is one of several runners that share the node. */
  readonly isShared: boolean;
  /** Whether the batch system knows how the allocation ends. */
  readonly knowsEnding: boolean;
}

/** The options of a runner inside an allocation: how it is registered, and how the allocation ends. */
export const inAllocation = async (
  batch: BatchSystem,
  allocation: Allocation,
  { isShared, knowsEnding }: InAllocationOptions,
): Promise<Pick<RunnerOptions, 'computeNodeType' | 'scheduler' | 'allocation' | 'ending' | 'licenses'>> => ({
  computeNodeType: 'slurm',
  scheduler: {
    type: 'slurm',
    slurm_job_id: String(allocation.jobId),
    slurm_node_id: allocation.nodeId,
    slurm_task_pid: allocation.taskPid,
    ...(allocation.nodes > 1 ? { slurm_num_nodes: allocation.nodes } : {}),
    ...slurmRunFields(allocation.run ?? {}),
  },
  allocation,
  licenses: await licensesIn(batch, allocation),
  ending: knowsEnding ? await endingOf(batch, allocation, isShared) : undefined,
});

async function licensesIn(batch: BatchSystem, allocation: Allocation): Promise<RunnerOptions['licenses']> {
  const held = heldByAllocation(await batch.licensesOf(allocation));
  return Object.keys(held).length === 0 ? undefined : held;
}

const MOST_ASKING_MS = 5_000;
const LEAST_ASKING_MS = 1_000;

async function endingOf(batch: BatchSystem, allocation: Allocation, isShared: boolean): Promise<AllocationEnding> {
  const manner = await batch.manner();
  // The runner is killed soon, and its results are to be reported before.
  const atMostMs = Math.min(MOST_ASKING_MS, Math.max(LEAST_ASKING_MS, (manner.killWaitSeconds ?? Infinity) * 250));
  return {
    ...manner,
    memoryBytes: isShared ? undefined : allocation.memoryBytes,
    isShared,
    fate: () => batch.fateOf(allocation, atMostMs),
    secondsLeft: () => batch.secondsLeft(allocation),
  };
}
