import { cpusPerNode, nodeNames } from '../../cluster/slurm/nodes.ts';
import type { CapacityNode } from '../claim/capacity.ts';
import type { Log } from '../facts/log.ts';
import type { Mode } from '../facts/mode.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OfferedNodesOptions {
  readonly mode: Mode;
  readonly environment: Environment;
  /** What this node offers. */
  readonly own: CapacityNode;
  readonly log: Log;
}

/**
 * The nodes on which a runner starts jobs: its own, or with steps of Slurm all nodes of its allocation. Memory and
 * devices are the same on each; CPUs may differ.
 */
export async function offeredNodes({ mode, environment, own, log }: OfferedNodesOptions): Promise<CapacityNode[]> {
  if (mode === 'direct') return [own];
  const names = await nodeNames(environment).catch((error: Error) => {
    log.write('warn', 'The nodes of the allocation are not known; jobs run on this node only', {
      reason: error.message,
    });
    return [];
  });
  if (names.length <= 1) return [{ ...own, name: names[0] ?? own.name }];
  const cpus = cpusPerNode(environment['SLURM_JOB_CPUS_PER_NODE']) ?? [];
  return names.map((name, at) => {
    const count = cpus[at] ?? own.cpus;
    return { ...own, name, cpus: count, memoryBytes: memoryOf(environment, own, count) };
  });
}

/** Memory that Slurm gives for each CPU differs from node to node. */
const memoryOf = ({ SLURM_MEM_PER_CPU: perCpu }: Environment, own: CapacityNode, cpus: number): number =>
  perCpu !== undefined && own.cpus > 0 ? Math.floor((own.memoryBytes / own.cpus) * cpus) : own.memoryBytes;
