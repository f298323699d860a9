import { type Chunk, chunksIn } from '../../allocation/chunks.ts';
import { mayHaveSteps } from '../../allocation/execution-mode.ts';
import { marginsOf, timeLeft } from '../../allocation/usable-time.ts';
import type { NewSlurmScheduler } from '../../contract/scheduling.ts';
import type { Workflow } from '../../contract/workflow.ts';
import { greatest } from '../../quantity/extremes.ts';
import { parseMemoryMb } from '../../quantity/slurm-memory.ts';
import { parseGres } from '../../quantity/gres.ts';
import { readAmount } from '../../quantity/read-amount.ts';
import { parseWalltime } from '../../quantity/slurm-time.ts';
import type { RunnerRoom } from './obstacles.ts';

/** The fields of a scheduler that decide what the runner of its allocation has. */
export type SchedulerShape = Pick<
  NewSlurmScheduler,
  'id' | 'name' | 'nodes' | 'walltime' | 'gres' | 'mem' | 'extra' | 'pbs'
>;

const MEBIBYTE = 2 ** 20;

/**
 * The runner of a future allocation, as far as its scheduler says; what the site decides counts as unlimited.
 *
 * The allocation has begun a second ago: any runner starts later. Slurm rounds its time up to whole minutes. `isPerNode`: every node has a runner.
 */
export function roomOfScheduler(
  { id, name, nodes, walltime, gres, mem, extra, pbs }: SchedulerShape,
  { execution_config: execution, slurm_defaults: defaults }: Pick<Workflow, 'execution_config' | 'slurm_defaults'>,
  isPerNode = false,
): RunnerRoom {
  const isOverridden = LIMITING.test(extra ?? '');
  const seconds = isOverridden ? undefined : readAmount(walltime, parseWalltime);
  const megabytes = isOverridden ? undefined : readAmount(mem, parseMemoryMb);
  const chunk = largestChunk(pbs);
  // Options of qsub may ask for nodes in an older form.
  const isUnknown = pbs ? !pbs.select && /(?<!\S)-l/.test(extra ?? '') : isOverridden;
  const margins = marginsOf(execution);
  const length = seconds === undefined ? undefined : Math.ceil(seconds / 60) * 60;
  return {
    labels: [],
    schedulerId: id ?? null,
    isStrict: false,
    countsJobs: false,
    cpus: chunk?.cpus ?? cpusOf(extra ?? '', defaults ?? {}),
    // `--mem=0` is all of the node.
    memoryBytes: chunk?.memoryBytes ?? (megabytes === undefined || megabytes === 0 ? Infinity : megabytes * MEBIBYTE),
    gpus: chunk?.gpus ?? ((isOverridden ? undefined : parseGres(gres ?? '')?.count) || Infinity),
    // In Slurm, direct mode starts jobs on the node of the runner alone; in PBS, on every node of the allocation.
    nodes: isPerNode || !(pbs || mayHaveSteps(execution ?? {}, true)) ? 1 : isUnknown ? Infinity : nodes,
    time: length === undefined ? undefined : timeLeft(margins, { lengthSeconds: length, leftSeconds: length - 1 }),
    future: { scheduler: name ?? String(id), walltime, margins },
  };
}

/** What a runner has at most, of chunks that have a node each; undefined where nothing says it, or several may lie on one node. */
function largestChunk(request: SchedulerShape['pbs']) {
  const { select, place } = request ?? {};
  if (!select) return undefined;
  const chunks = chunksIn(select);
  const count = chunks.reduce((sum, each) => sum + each.count, 0);
  if (count > 1 && place && !/scatter/.test(place)) return undefined;
  const most = (of: (chunk: Chunk) => number) => greatest(chunks.map(of));
  return {
    cpus: most(({ cpus }) => cpus),
    memoryBytes: most(({ memoryBytes }) => memoryBytes ?? Infinity),
    // A site that gives whole nodes gives their GPUs with them.
    gpus: most(({ gpus }) => gpus) || Infinity,
  };
}

/** The runner of an allocation whose scheduler was deleted: it is unknown what it has. */
export const UNLIMITED: RunnerRoom = {
  labels: [],
  schedulerId: null,
  isStrict: false,
  countsJobs: false,
  cpus: Infinity,
  memoryBytes: Infinity,
  gpus: Infinity,
  nodes: Infinity,
  time: undefined,
};

/** sbatch options of `extra` for time, memory, nodes and GPUs: they replace those of the scheduler, and so nothing is known. */
const LIMITING = /(?:^|\s)(?:--(?:time|mem|nodes|gpu|gres|tres)|-[tNG])/;

/** Only `--cpus-per-task` of one task says how many CPUs there are; whole nodes and tasks mean more. */
function cpusOf(extra: string, defaults: Readonly<Record<string, unknown>>): number {
  const given = new Map(Object.entries(defaults).map(([name, value]) => [name.replaceAll('_', '-'), String(value)]));
  for (const [, name, value] of extra.matchAll(/(?:^|\s)--?([a-z][\w-]*)(?:[= ]\s*([\w:-]+))?/gi))
    given.set(name as string, value ?? '');
  const others = ['exclusive', 'ntasks', 'n', 'ntasks-per-node', 'cpus-per-gpu', 'mincpus'];
  if (others.some((name) => given.has(name))) return Infinity;
  return Number(given.get('cpus-per-task') ?? given.get('c')) || Infinity;
}
