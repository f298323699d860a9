import type { Allocation } from '../../../cluster/batch/allocation.ts';
import { greatest } from '../../../core/quantity/extremes.ts';
import { stepSeconds } from '../../../core/allocation/usable-time.ts';
import type { ClaimedJob } from '../../../core/contract/exchange.ts';
import type { Timeout } from '../../../core/attempt/timeout.ts';
import { slurmSignal } from '../../../cluster/slurm/signal-name.ts';
import type { JobFiles, StepId } from '../../../core/contract/files/job.ts';

/** What a step is started with, beside its job. */
export interface StepPlace {
  readonly jobId: number;
  readonly id: StepId;
  /** The nodes of its lease. */
  readonly nodes: readonly string[];
  /** Whether the allocation has more nodes than this one. */
  readonly isMultiNode: boolean;
  /** Whether the allocation has GPUs: a step that names no number of them would get all. */
  readonly hasGpus: boolean;
  /** Whether the job has requirements of its own; the default ones limit nothing. */
  readonly isLimited: boolean;
  readonly bindsCpus: boolean;
  /** It may use CPUs that Slurm counts as those of other steps. */
  readonly overlaps: boolean;
  readonly timeMinutes: number | undefined;
  /** The workflow's `srun_termination_signal`. */
  readonly signal: string | undefined;
}

const MEBIBYTE = 2 ** 20;

/**
 * The options of srun for a step, in the order of Torc 1.0.0.
 *
 * A step of several nodes has one task on each, of which the first alone runs the command: with one task Slurm would take
 * one node.
 */
export function srunOptions({ need }: Pick<ClaimedJob, 'need'>, place: StepPlace): string[] {
  const { jobId, id, nodes, isMultiNode, hasGpus, isLimited, bindsCpus, overlaps, timeMinutes, signal } = place;
  const count = Math.max(1, need.num_nodes);
  const memory = memoryOption(need.memory_bytes);
  return [
    `--jobid=${jobId}`,
    `--ntasks=${count}`,
    ...(bindsCpus ? [] : ['--cpu-bind=none']),
    '--exact',
    ...(overlaps ? ['--overlap'] : []),
    `--job-name=${id}`,
    ...(isMultiNode && nodes.length > 0 ? [`--nodelist=${nodes.join(',')}`] : []),
    `--nodes=${count}`,
    ...(count > 1 ? ['--ntasks-per-node=1', '--wait=0', '--kill-on-bad-exit=0'] : []),
    ...(isLimited ? [`--cpus-per-task=${need.num_cpus}`, ...(memory === undefined ? [] : [memory])] : []),
    ...(need.num_gpus > 0 ? [`--gpus=${need.num_gpus * count}`] : hasGpus ? ['--gpus=0'] : []),
    ...(timeMinutes === undefined ? [] : [`--time=${timeMinutes}`]),
    ...(signal === undefined ? [] : [`--signal=${signal.replace(/^[^@]+/, slurmSignal)}`]),
  ];
}

/**
 * Why an allocation can never run a step with so many CPUs on each node; undefined if one of its nodes has them, or that is not known.
 *
 * Slurm 22.05 refuses such a step (`More processors requested than permitted`). 26.05 lets it wait until it is ended, and a step that does not
 * begin is taken for one that waits behind steps which have ended (`ghosts.ts`): the next ones would overlap.
 */
export function tooManyCpus(
  { need }: Pick<ClaimedJob, 'need'>,
  { jobId, cpus, cpusPerNode = [] }: Pick<Allocation, 'jobId' | 'cpus' | 'cpusPerNode'>,
): string | undefined {
  const most = greatest(cpusPerNode, cpus ?? 0);
  if (most === 0 || need.num_cpus <= most) return undefined;
  return `The step asks for ${need.num_cpus} CPUs on a node, and allocation ${jobId} has ${most}`;
}

/** Whether an allocation has CPUs and memory for a step beside others; what is not known is enough. */
export function fitsBeside(
  need: ClaimedJob['need'],
  others: readonly ClaimedJob['need'][],
  { nodes, cpus, cpusPerNode, memoryBytes }: Pick<Allocation, 'nodes' | 'cpus' | 'cpusPerNode' | 'memoryBytes'>,
): boolean {
  const sum = (amount: (each: ClaimedJob['need']) => number) =>
    [need, ...others].reduce((total, each) => total + amount(each) * Math.max(1, each.num_nodes), 0);
  const all = cpusPerNode?.reduce((total, each) => total + each, 0) ?? (cpus === undefined ? Infinity : cpus * nodes);
  return (
    sum(({ num_cpus: count }) => count) <= all &&
    sum(({ memory_bytes: bytes }) => bytes) <= (memoryBytes ?? Infinity) * nodes
  );
}

/** At least one mebibyte: `--mem=0` would be all of the memory. */
const memoryOption = (bytes: number): string | undefined =>
  bytes <= 0 ? undefined : `--mem=${Math.max(1, Math.floor(bytes / MEBIBYTE))}M`;

/**
 * Variables that srun takes for options, and that describe the runner's own allocation or step. A step would inherit the
 * number of tasks, the memory and the devices of the runner.
 */
const INPUT_VARIABLES =
  /^(SLURM_(NTASKS|NPROCS|NNODES|MEM_PER_|GPUS|TRES_PER_TASK|CPU_BIND|CPUS_PER_|DISTRIBUTION|HINT|EXACT|OVERLAP|STEP)|SRUN_|PMI|(CUDA|HIP|ROCR)_VISIBLE_DEVICES$|GPU_DEVICE_ORDINAL$)/;

export const inheritedInputs = (environment: Readonly<Record<string, string | undefined>>): string[] =>
  Object.keys(environment).filter((name) => INPUT_VARIABLES.test(name));

export interface StepWords {
  /** The shell around the command (`wrapper`). */
  readonly shell: string;
  readonly mark: string;
  /** The files of its output; undefined discards it. */
  readonly output: JobFiles;
  readonly command: string;
  /** The words of the command, where no shell needs to read it. */
  readonly words?: readonly string[] | undefined;
}

/** The words of srun for a step. */
export function srunWords(
  options: readonly string[],
  { shell, mark, output, command, words = [] }: StepWords,
): string[] {
  // A lone colon separates the parts of a heterogeneous job, also between the words of a command.
  const given = command === ':' ? `${command}\n` : command;
  const { stdout = '', stderr = '' } = output;
  return ['srun', ...options, 'bash', '-c', shell, mark, stdout, stderr, given, ...(words.includes(':') ? [] : words)];
}

/**
 * Whole minutes for a step until the kill time of the runner; `refusal` if less than one is left. Torc's words.
 *
 * Source of the rule: Slurm ends steps up to 30 s late, so the time is rounded down.
 */
export function stepMinutes(
  { id }: Pick<ClaimedJob, 'id'>,
  nowMs: number,
  endAtMs: number | undefined,
  headroomSeconds: number,
): { readonly minutes?: number; readonly refusal?: string } {
  if (endAtMs === undefined) return {};
  const left = Math.floor((endAtMs - nowMs) / 1000);
  const usable = left - headroomSeconds;
  const seconds = stepSeconds(left, headroomSeconds);
  if (seconds > 0) return { minutes: seconds / 60 };
  return {
    refusal: `Refusing to launch srun step for job ${id}: only ${left}s remaining (${Math.max(0, usable)}s usable after ${headroomSeconds}s sigkill headroom, need at least 60s)`,
  };
}

/**
 * The time limit of a step whose job may have a timeout. The runner ends such a job itself; Slurm does if the runner was killed, a minute
 * later, so that the runner is the first where it is there.
 */
export function leastMinutes(
  minutes: number | undefined,
  timeout: Pick<Timeout, 'seconds'> | undefined,
  leadSeconds: number,
): number | undefined {
  if (timeout === undefined) return minutes;
  return Math.min(minutes ?? Infinity, Math.ceil((timeout.seconds + leadSeconds) / 60) + 1);
}
