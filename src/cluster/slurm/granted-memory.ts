import { parseSlurmMemory } from '../../core/quantity/bytes.ts';
import { runHelper } from '../exec.ts';
import type { Allocation } from '../batch/allocation.ts';
import { jobLine } from './ending.ts';
import { slurmProgram } from './programs.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SCONTROL_MS = 20_000;

/**
 * Memory of this node that belongs to the allocation, in bytes; undefined where nothing tells it.
 *
 * A script without `--mem`, with `--mem=0`, or one that unsets SLURM_MEM_PER_CPU, as ours do, has no variable that says so.
 * The memory of the machine would be wrong: other allocations are on it. So the controller is asked.
 */
export async function grantedMemory(allocation: Allocation, environment: Environment): Promise<number | undefined> {
  if (allocation.memoryBytes !== undefined || environment['TORC_FAKE_SBATCH']) return allocation.memoryBytes;
  const program = slurmProgram('scontrol', environment);
  const args = ['-o', 'show', 'job', String(allocation.jobId)];
  const text = await runHelper(program, args, { atMostMs: SCONTROL_MS, environment });
  return parseGranted(jobLine(allocation.jobId, text), allocation);
}

/**
 * The memory per node in the answer of `scontrol show job`: the limit per CPU or per node, or an equal share of the total.
 *
 * Source: scontrol(1): `MinMemoryCPU`, `MinMemoryNode` (0: all of the node), `TRES` or `AllocTRES`.
 */
export function parseGranted(text: string, { cpus, nodes }: Pick<Allocation, 'cpus' | 'nodes'>): number | undefined {
  const sizeOf = (pattern: RegExp) => {
    const found = pattern.exec(text)?.[1];
    return found === undefined || !/^\d/.test(found) ? undefined : parseSlurmMemory(withUnit(found));
  };
  const perCpu = sizeOf(/\bMinMemoryCPU=(\S+)/);
  if (perCpu && cpus !== undefined) return perCpu * cpus;
  const perNode = sizeOf(/\bMinMemoryNode=(\S+)/);
  if (perNode) return perNode;
  const total = sizeOf(/\b(?:Alloc)?TRES=[^\s]*?\bmem=([^,\s]+)/);
  return total === undefined ? undefined : Math.floor(total / Math.max(1, nodes));
}

/** A number alone is MiB there. */
const withUnit = (text: string): string => (/^\d+$/.test(text) ? `${text}M` : text);
