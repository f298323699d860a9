import type { SlurmScheduler } from '../contract/scheduling.ts';
import { parseMemoryMb } from '../quantity/slurm-memory.ts';
import type { RunnerRoom } from '../lifecycle/obstacles.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';
import { parseWalltime } from '../quantity/slurm-time.ts';
import { marginsOf, timeLeft } from './usable-time.ts';

const MEBIBYTE = 2 ** 20;

/** What is known of an allocation beside its scheduler. */
export interface AllocationFacts {
  /** The sbatch options of all allocations of the workflow (`slurm_defaults`). */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Its runner may count jobs and ignore their requirements (`max_parallel_jobs`). */
  readonly countsJobs: boolean;
  readonly execution?: ExecutionConfig | null | undefined;
}

/**
 * The most that a runner in an allocation of this scheduler can have, before the allocation starts.
 *
 * What the scheduler does not limit is unlimited: nobody knows which node Slurm will choose. Neither is anything limited
 * if its `extra` has an option that may change a limit, or if the scheduler was deleted.
 */
export function roomOfAllocation(scheduler: SlurmScheduler | undefined, facts: AllocationFacts): RunnerRoom {
  const isKnown = scheduler !== undefined && !LIMITING.test(scheduler.extra ?? '');
  const seconds = isKnown ? readable(scheduler.walltime, parseWalltime) : undefined;
  const memoryMb = isKnown ? readable(scheduler.mem, parseMemoryMb) : undefined;
  return {
    labels: [],
    schedulerId: scheduler?.id ?? null,
    isStrict: false,
    countsJobs: facts.countsJobs,
    cpus: Infinity,
    // Slurm reads 0 as all memory of the node.
    memoryBytes: memoryMb === undefined || memoryMb === 0 ? Infinity : memoryMb * MEBIBYTE,
    gpus: isKnown && !mayHaveGpus(facts.defaults) ? gpusOf(scheduler) : Infinity,
    nodes: isKnown ? scheduler.nodes : Infinity,
    time:
      seconds === undefined
        ? undefined
        : timeLeft(marginsOf(facts.execution), { lengthSeconds: seconds, leftSeconds: seconds }),
  };
}

/** Options of sbatch for time, memory, nodes and GPUs. */
const LIMITING = /(?:^|\s)(?:--(?:time|mem|nodes|gpu|gres|tres)|-[tNG])/;

/** `gpu:2`, `gpu:a100:2`. */
export const gpusOf = (scheduler: Pick<SlurmScheduler, 'gres'> | undefined): number =>
  Number(/gpu(?::[a-z]\w*)?:(\d+)/i.exec(scheduler?.gres ?? '')?.[1] ?? (/gpu/i.test(scheduler?.gres ?? '') ? 1 : 0));

const mayHaveGpus = (defaults: AllocationFacts['defaults']) =>
  Object.keys(defaults).some((name) => /gpu|gres|tres/i.test(name));

/** The value of a text that people write; undefined where it is missing or cannot be read. */
export function readable(text: string | null | undefined, parse: (text: string) => number): number | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
