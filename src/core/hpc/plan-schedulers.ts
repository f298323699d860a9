import { smallest } from '../quantity/extremes.ts';
import { formatWalltime } from '../quantity/slurm-time.ts';
import { choosePartition } from './choose-partition.ts';
import type { HpcPartition } from './profile.ts';

/** Jobs with the same requirements; those that wait for others stand apart, because their allocations are not needed yet. */
export interface JobGroup {
  /** Names of the requirements. */
  readonly requirements: readonly string[];
  readonly cpus: number;
  readonly memoryMb: number;
  readonly gpus: number;
  readonly nodes: number;
  readonly runtimeSeconds: number;
  readonly isDeferred: boolean;
  readonly jobs: readonly PlannedJobName[];
}

interface PlannedJobName {
  readonly name: string;
  /** Its number among all jobs of the workflow. */
  readonly number: number;
}

export interface PlanOptions {
  readonly partitions: readonly HpcPartition[];
  readonly account: string;
  readonly groupBy: 'partition' | 'resource-requirements';
  readonly walltimeStrategy: 'max-job-runtime' | 'max-partition-time';
  readonly walltimeMultiplier: number;
  readonly isSingleAllocation: boolean;
  /** The only partition to use. */
  readonly forcedPartition?: string | undefined;
  /** Whether scripts name every partition: Slurm itself chooses none but the default one, some sites do. */
  readonly namesPartitions?: boolean;
  /** The exact walltime, whatever the strategy. */
  readonly walltimeSeconds?: number | undefined;
  /** Replaces the word `scheduler` in names. */
  readonly suffix?: string | undefined;
  /** Whether a job waits for one of these, of all jobs by number. */
  readonly waitsFor: (isOne: (job: number) => boolean) => (job: number) => boolean;
}

export interface PlannedScheduler {
  readonly name: string;
  readonly account: string;
  readonly mem: string;
  readonly nodes: number;
  readonly walltime: string;
  readonly partition: string | undefined;
  readonly qos: string | undefined;
  readonly gres: string | undefined;
  readonly allocations: number;
  /** CPUs that the jobs of a node use at the same time. */
  readonly cpusPerNode: number;
  readonly group: JobGroup;
  /** Names of the jobs that must be ready before its allocations are submitted. */
  readonly gate: readonly string[];
  /** The partition that Slurm will use. */
  readonly on: HpcPartition;
}

export interface SchedulerPlan {
  readonly schedulers: readonly PlannedScheduler[];
  readonly warnings: readonly string[];
}

/**
 * The allocations that groups of jobs need, on the partitions of a site.
 *
 * A node runs as many jobs of a group at a time as its scarcest resource allows, one after another within the walltime.
 */
export function planSchedulers(groups: readonly JobGroup[], options: PlanOptions): SchedulerPlan {
  const warnings: string[] = [];
  const { forcedPartition: forced } = options;
  const partitions =
    forced === undefined ? options.partitions : options.partitions.filter(({ name }) => name === forced);
  if (partitions.length === 0 && forced !== undefined)
    return { schedulers: [], warnings: [`Partition '${forced}' not found in the profile`] };
  const placed: Placed[] = [];
  for (const group of groups) {
    const on = partitionOf(group, partitions);
    if (group.cpus <= 0 || group.memoryMb <= 0)
      warnings.push(`Invalid resource requirements '${group.requirements.join(', ')}': CPUs or memory is zero`);
    else if (on === undefined) warnings.push(noPartition(group));
    else placed.push({ group, on });
  }
  const byPartition = options.groupBy === 'partition';
  const merged = byPartition ? mergeSmall(mergePlaced(placed, partitions), options, partitions) : placed;
  return { schedulers: merged.map((each) => schedulerOf(each, options, byPartition)), warnings };
}

interface Placed {
  readonly group: JobGroup;
  readonly on: HpcPartition;
}

const partitionOf = (group: JobGroup, partitions: readonly HpcPartition[]) =>
  choosePartition(partitions, {
    cpus: group.cpus,
    memoryMb: group.memoryMb,
    gpus: group.gpus,
    walltimeSeconds: group.runtimeSeconds,
  });

const noPartition = ({ requirements, cpus, memoryMb, runtimeSeconds, gpus }: JobGroup) =>
  `No partition found for resource requirements '${requirements.join(', ')}' (CPUs: ${cpus}, Memory: ${memoryMb} MB, ` +
  `Runtime: ${formatWalltime(runtimeSeconds)}, GPUs: ${gpus})`;

/** Groups on the same partition become one, which needs the largest of each; it may need another partition then. */
function mergePlaced(placed: readonly Placed[], partitions: readonly HpcPartition[]): Placed[] {
  const result: Placed[] = [];
  for (const next of placed) {
    const at = result.findIndex(
      ({ group, on }) => on.name === next.on.name && group.isDeferred === next.group.isDeferred,
    );
    if (at === -1) result.push(next);
    else result[at] = togetherOf(result[at] as Placed, next, partitions);
  }
  return result.length === placed.length ? result : mergePlaced(result, partitions);
}

/** Both are on one partition, so at least that one has enough of everything. */
function togetherOf(a: Placed, b: Placed, partitions: readonly HpcPartition[]): Placed {
  const group: JobGroup = {
    requirements: [...new Set([...a.group.requirements, ...b.group.requirements])],
    cpus: Math.max(a.group.cpus, b.group.cpus),
    memoryMb: Math.max(a.group.memoryMb, b.group.memoryMb),
    gpus: Math.max(a.group.gpus, b.group.gpus),
    nodes: Math.max(a.group.nodes, b.group.nodes),
    runtimeSeconds: Math.max(a.group.runtimeSeconds, b.group.runtimeSeconds),
    isDeferred: a.group.isDeferred && b.group.isDeferred,
    jobs: [...a.group.jobs, ...b.group.jobs],
  };
  return { group, on: partitionOf(group, partitions) ?? a.on };
}

/** Together so few allocations are not worth two schedulers: the later jobs run in the allocations of the first ones. */
const FEW = 2;

function mergeSmall(
  placed: readonly Placed[],
  options: PlanOptions,
  partitions: readonly HpcPartition[],
): readonly Placed[] {
  const result = [...placed];
  for (const later of placed.filter(({ group }) => group.isDeferred)) {
    const at = result.findIndex(({ group, on }) => !group.isDeferred && on.name === later.on.name);
    const first = result[at];
    if (first === undefined) continue;
    if (sizeOf(first, options).allocations + sizeOf(later, options).allocations > FEW) continue;
    result[at] = togetherOf(first, later, partitions);
    result.splice(result.indexOf(later), 1);
  }
  return result;
}

function sizeOf({ group, on }: Placed, options: PlanOptions) {
  const { runtimeSeconds: runtime } = group;
  const limit = on.max_walltime_secs;
  const strategic =
    options.walltimeStrategy === 'max-partition-time' || runtime <= 0
      ? limit
      : Math.min(Math.ceil(runtime * options.walltimeMultiplier), limit);
  const walltimeSeconds = options.walltimeSeconds ?? strategic;
  const ratios = [
    Math.floor(on.cpus_per_node / group.cpus),
    Math.floor(on.memory_mb / group.memoryMb),
    ...(group.gpus > 0 ? [Math.floor((on.gpus_per_node ?? 0) / group.gpus)] : []),
  ];
  const concurrent = Math.max(1, smallest(ratios));
  const slots = runtime > 0 ? Math.max(1, Math.floor(walltimeSeconds / runtime)) : 1;
  const allocations = Math.max(1, Math.ceil(group.jobs.length / (concurrent * slots)) * group.nodes);
  return { walltimeSeconds, allocations, cpusPerNode: Math.min(concurrent, group.jobs.length) * group.cpus };
}

function schedulerOf(placed: Placed, options: PlanOptions, byPartition: boolean): PlannedScheduler {
  const { group, on } = placed;
  const { walltimeSeconds, allocations, cpusPerNode } = sizeOf(placed, options);
  const base = `${byPartition ? on.name : group.requirements[0]}${group.isDeferred ? '_deferred' : ''}`;
  const isNamed =
    on.requires_explicit_request || options.forcedPartition !== undefined || options.namesPartitions === true;
  return {
    name: `${base}_${options.suffix ?? 'scheduler'}`,
    account: options.account,
    mem: on.memory_mb < 1024 ? `${on.memory_mb}m` : `${Math.floor(on.memory_mb / 1024)}g`,
    nodes: options.isSingleAllocation ? Math.max(allocations, group.nodes) : group.nodes,
    walltime: formatWalltime(walltimeSeconds),
    partition: isNamed ? on.name : undefined,
    qos: on.default_qos ?? undefined,
    gres: group.gpus > 0 ? `gpu:${group.gpus}` : undefined,
    allocations: options.isSingleAllocation ? 1 : allocations,
    cpusPerNode,
    group,
    gate: gateOf(group, options),
    on,
  };
}

/**
 * The jobs of a group that wait for none of the same group: the others become ready only when allocations of the group
 * run, so they must not be waited for.
 */
function gateOf({ jobs }: JobGroup, { waitsFor }: PlanOptions): string[] {
  const own = new Set(jobs.map(({ number }) => number));
  const waitsForOwn = waitsFor((job) => own.has(job));
  return jobs.filter(({ number }) => !waitsForOwn(number)).map(({ name }) => name);
}
