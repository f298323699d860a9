import type { Allocation } from '../../cluster/batch/allocation.ts';
import { nodeNames } from '../../cluster/slurm/nodes.ts';
import type { CapacityNode } from '../claim/capacity.ts';
import type { Log } from '../facts/log.ts';
import type { Mode } from '../../core/lifecycle/execution-mode.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OfferedNodesOptions {
  readonly mode: Mode;
  readonly environment: Environment;
  readonly allocation: Allocation | undefined;
  /** What this node offers. */
  readonly own: CapacityNode;
  readonly log: Log;
}

/**
 * The nodes on which a runner starts jobs: its own, or with steps of Slurm all nodes of its allocation. Memory and
 * devices are the same on each; CPUs may differ.
 */
export async function offeredNodes({
  mode,
  environment,
  allocation,
  own,
  log,
}: OfferedNodesOptions): Promise<CapacityNode[]> {
  if (mode === 'direct') return [own];
  const names = await nodeNames(environment).catch((error: Error) => {
    log.write('warn', 'The nodes of the allocation are not known; jobs run on this node only', {
      reason: error.message,
    });
    return [];
  });
  if (names.length <= 1) return [{ ...own, name: names[0] ?? own.name }];
  const cpus = allocation?.cpusPerNode ?? [];
  return names.map((name, at) => {
    const count = cpus[at] ?? own.cpus;
    return { ...own, name, cpus: count, memoryBytes: memoryOf(allocation, own, count) };
  });
}

/** Memory that Slurm gives for each CPU differs from node to node. */
const memoryOf = (allocation: Allocation | undefined, own: CapacityNode, cpus: number): number =>
  allocation?.isMemoryPerCpu === true && own.cpus > 0
    ? Math.floor((own.memoryBytes / own.cpus) * cpus)
    : own.memoryBytes;
