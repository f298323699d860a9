import { startupWindowSeconds } from '../core/allocation/names.ts';
import { MOST_GRACE_SECONDS, overheadSeconds, roundSeconds, walltimeFor } from '../core/allocation/usable-time.ts';
import { smallest } from '../core/quantity/extremes.ts';
import type { JobGroup } from './job-group.ts';
import type { HpcPartition } from './profile.ts';
import type { WorkflowRules } from './workflow-rules.ts';

/** How walltimes of allocations are chosen. */
export interface SizeOptions extends Pick<WorkflowRules, 'margins' | 'staggersStarts'> {
  readonly walltimeStrategy: 'max-job-runtime' | 'max-partition-time';
  readonly walltimeMultiplier: number;
  /** The exact walltime, whatever the strategy. */
  readonly walltimeSeconds?: number | undefined;
}

/** The allocations of a group: each has the nodes of one job. */
export interface AllocationSize {
  readonly walltimeSeconds: number;
  readonly allocations: number;
  /** What the jobs of a node use at the same time. */
  readonly perNode: { readonly cpus: number; readonly memoryMb: number; readonly gpus: number };
}

/**
 * Starting an allocation takes Slurm and the runner up to a minute. Shorter, and allocations of short jobs start more than they
 * run; longer, and they wait longer in the queue. Below 20 min, so that the number of allocations for jobs of 10 min and more is
 * that of Torc 1.0.0.
 */
export const LEAST_WORK_SECONDS = 600;

/**
 * The number and the shape of the allocations of a group on a partition.
 *
 * A node runs as many jobs at a time as its scarcest resource allows, one after another within the time that the walltime has for
 * jobs. A job of several nodes has them for itself, so its allocation runs one at a time. Where jobs of the group wait for each
 * other, for `chainSeconds` in all, the last of them finds an allocation that has its time left.
 */
export function allocationSize(
  group: JobGroup,
  on: HpcPartition,
  options: SizeOptions,
  chainSeconds = 0,
): AllocationSize {
  const { runtimeSeconds: runtime, jobs } = group;
  const { margins } = options;
  const atOnce = Math.min(concurrentJobs(group, on), jobs.length);
  const rounds = usefulRounds(runtime, Math.ceil(jobs.length / atOnce));
  const work = workSeconds(runtime, rounds, options);
  const limit = wholeMinutes(on.max_walltime_secs);
  const planned = (seconds: number | undefined, allocations: number) => {
    if (options.walltimeSeconds !== undefined) return options.walltimeSeconds;
    const delay = options.staggersStarts ? startupWindowSeconds(allocations) : 0;
    return seconds === undefined ? limit : Math.min(walltimeFor(seconds, margins, delay), limit);
  };
  const chain = Math.ceil(options.walltimeMultiplier * chainSeconds);
  const slots = slotsOf(planned(work, 1), options.walltimeSeconds === undefined ? work : undefined, runtime, options);
  const allocations = Math.max(1, Math.ceil(jobs.length / (atOnce * slots)));
  return {
    walltimeSeconds: planned(work && Math.max(work, chain), allocations),
    allocations,
    perNode: { cpus: atOnce * group.cpus, memoryMb: atOnce * group.memoryMb, gpus: atOnce * group.gpus },
  };
}

function concurrentJobs({ cpus, memoryMb, gpus, nodes }: JobGroup, on: HpcPartition): number {
  if (nodes > 1) return 1;
  const ratios = [
    Math.floor(on.cpus_per_node / cpus),
    Math.floor(on.memory_mb / memoryMb),
    ...(gpus > 0 ? [Math.floor((on.gpus_per_node ?? 0) / gpus)] : []),
  ];
  return Math.max(1, smallest(ratios));
}

/** The time that jobs get in an allocation; undefined for all that the partition allows. */
function workSeconds(runtime: number, rounds: number, options: SizeOptions): number | undefined {
  if (options.walltimeStrategy === 'max-partition-time' || runtime <= 0) return undefined;
  return Math.ceil(Math.max(runtime * options.walltimeMultiplier, rounds * (runtime + roundSeconds(runtime))));
}

const usefulRounds = (runtime: number, rounds: number): number =>
  Math.min(rounds, Math.floor(LEAST_WORK_SECONDS / runtime));

/**
 * Jobs that run one after another. Where the walltime is that of the partition, or given, the last of them may lack two minutes, as in
 * Torc 1.0.0: four jobs of an hour in four hours. A runner grants an hour that much (see `claimableSeconds`).
 */
function slotsOf(walltime: number, work: number | undefined, runtime: number, options: SizeOptions): number {
  if (runtime <= 0) return 1;
  const { margins, walltimeMultiplier: factor } = options;
  const usable = walltime - overheadSeconds(margins);
  if (work === undefined) return Math.max(1, Math.floor(Math.min(usable + MOST_GRACE_SECONDS, walltime) / runtime));
  const counted = Math.min(usable, work);
  // A factor of 2 is time for two, as in Torc 1.0.0.
  return Math.max(
    1,
    Math.floor(counted / (runtime + roundSeconds(runtime))),
    Math.floor(Math.min(factor, counted / runtime)),
  );
}

export const wholeMinutes = (seconds: number): number => (seconds < 60 ? seconds : Math.floor(seconds / 60) * 60);
