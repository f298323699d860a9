import type { Allocation } from '../../cluster/batch/allocation.ts';
import type { BatchSystem } from '../../cluster/batch/batch-system.ts';
import type { CapacityNode } from '../claim/capacity.ts';
import type { Log } from '../facts/log.ts';
import type { StartMode } from '../../core/allocation/execution-mode.ts';

export interface OfferedNodesOptions {
  readonly mode: StartMode;
  /** Whether processes can be started on the other nodes too. */
  readonly startsFar: boolean;
  readonly batch: Pick<BatchSystem, 'nodesOf'> | undefined;
  readonly allocation: Allocation | undefined;
  /** What this node offers. */
  readonly own: CapacityNode;
  readonly log: Log;
}

/**
 * The nodes on which a runner starts jobs: its own, or all nodes of its allocation. Memory and devices are the same on each where
 * the batch system does not say what each has; CPUs may differ.
 */
export async function offeredNodes({
  mode,
  startsFar,
  batch,
  allocation,
  own,
  log,
}: OfferedNodesOptions): Promise<CapacityNode[]> {
  if ((mode === 'direct' && !startsFar) || batch === undefined || allocation === undefined) return [own];
  const names = await batch.nodesOf(allocation).catch((error: Error) => {
    log.write('warn', 'The nodes of the allocation are not known; jobs run on this node only', {
      reason: error.message,
    });
    return [];
  });
  if (names.length <= 1) return [{ ...own, name: names[0] ?? own.name }];
  const cpus = allocation.cpusPerNode ?? [];
  return names.map((name, at) => {
    const count = cpus[at] ?? own.cpus;
    const memoryBytes = allocation.memoryPerNode?.[at] ?? memoryOf(allocation, own, count);
    const gpus = allocation.gpusPerNode?.[at];
    const devices =
      at === 0 || gpus === undefined ? own.devices : Array.from({ length: gpus }, (_, gpu) => String(gpu));
    return { ...own, name, cpus: count, memoryBytes, devices };
  });
}

/** Memory that Slurm gives for each CPU differs from node to node. */
const memoryOf = ({ isMemoryPerCpu }: Allocation, own: CapacityNode, cpus: number): number =>
  isMemoryPerCpu === true && own.cpus > 0 ? Math.floor((own.memoryBytes / own.cpus) * cpus) : own.memoryBytes;
