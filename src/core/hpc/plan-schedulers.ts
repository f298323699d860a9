import { claimableSeconds, overheadSeconds, walltimeSum } from '../allocation/usable-time.ts';
import { greatest } from '../quantity/extremes.ts';
import { formatWalltime } from '../quantity/slurm-time.ts';
import { allocationSize, type SizeOptions } from './allocation-size.ts';
import { mergeGroups } from './merge-groups.ts';
import { asksForWholeNodes, extraOf, gresOf } from './kept-scheduler.ts';
import { type Placed, placeGroup } from './place-group.ts';
import type { JobGroup } from './job-group.ts';
import type { HpcPartition } from './profile.ts';
import type { WorkflowRules } from './workflow-rules.ts';

export interface SchedulerPlanOptions extends SizeOptions, WorkflowRules {
  readonly partitions: readonly HpcPartition[];
  /** For jobs without a scheduler of before, and for all if `isAccountForced`. */
  readonly account: string;
  readonly isAccountForced?: boolean;
  readonly groupBy: 'partition' | 'resource-requirements';
  readonly isSingleAllocation: boolean;
  /** The only partition to use. */
  readonly forcedPartition?: string | undefined;
  /** Whether scripts name every partition: Slurm itself chooses none but the default one, some sites do. */
  readonly namesPartitions?: boolean;
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
  readonly tmp: string | undefined;
  readonly extra: string | undefined;
  readonly isSerialized: boolean;
  readonly allocations: number;
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

/** The allocations that groups of jobs need, on the partitions of a site. */
export function planSchedulers(groups: readonly JobGroup[], options: SchedulerPlanOptions): SchedulerPlan {
  const warnings: string[] = [];
  const { forcedPartition: forced } = options;
  if (forced !== undefined && options.partitions.every(({ name }) => name !== forced))
    return { schedulers: [], warnings: [`Partition '${forced}' not found in the profile`] };
  const found: Placed[] = [];
  for (const group of groups) {
    const requirements = group.requirements.join(', ');
    if (group.cpus <= 0 || group.memoryMb <= 0) {
      warnings.push(`Invalid resource requirements '${requirements}': CPUs or memory is zero`);
      continue;
    }
    if (group.nodes > 1 && !options.usesAllNodes)
      warnings.push(
        `Resource requirements '${requirements}': jobs with num_nodes ${group.nodes} run as steps only; set execution_config: {mode: slurm}`,
      );
    const { placed, warning } = placeGroup(group, options);
    const refusal = placed && walltimeRefusal(placed.group, options);
    for (const words of [warning, refusal]) if (words !== undefined) warnings.push(words);
    if (placed !== undefined && refusal === undefined) found.push(placed);
  }
  const byPartition = options.groupBy === 'partition';
  const merged = byPartition ? mergeGroups(found, options) : found;
  const names = new Map<string, number>();
  const schedulers = merged.map((placed) => schedulerOf(placed, options, distinct(baseOf(placed, byPartition), names)));
  return {
    schedulers,
    warnings: [...new Set([...warnings, ...schedulers.flatMap((each) => walltimeWarnings(each, options))])],
  };
}

const baseOf = ({ group, on }: Placed, byPartition: boolean) =>
  `${byPartition ? on.name : group.requirements[0]}${group.isDeferred ? '_deferred' : ''}`;

/** Jobs are bound to schedulers by name: the second of a name gets a number. */
function distinct(base: string, names: Map<string, number>): string {
  const count = (names.get(base) ?? 0) + 1;
  names.set(base, count);
  return count === 1 ? base : `${base}_${count}`;
}

function schedulerOf({ group, on, isKept }: Placed, options: SchedulerPlanOptions, base: string): PlannedScheduler {
  const { kept } = group;
  const { walltimeSeconds, allocations, perNode } = allocationSize(group, on, options, levelsOf(group, on, options));
  const isNamed = isKept
    ? Boolean(kept?.partition)
    : on.requires_explicit_request || options.forcedPartition !== undefined || options.namesPartitions === true;
  const isWhole = (on.exclusive ?? !on.shared) || asksForWholeNodes(kept, options.defaults);
  return {
    name: `${base}_${options.suffix ?? 'scheduler'}`,
    account: options.isAccountForced === true ? options.account : (kept?.account ?? options.account),
    mem: memoryText(isWhole ? on.memory_mb : Math.min(on.memory_mb, perNode.memoryMb + RUNNER_MB), isWhole),
    nodes: options.isSingleAllocation ? allocations * group.nodes : group.nodes,
    walltime: formatWalltime(walltimeSeconds),
    partition: isNamed ? on.name : undefined,
    qos: (isKept ? kept?.qos : undefined) ?? on.default_qos ?? undefined,
    gres: gresOf(isKept ? kept : undefined, perNode.gpus),
    tmp: kept?.tmp ?? undefined,
    extra: extraOf(kept, { cpus: perNode.cpus, defaults: options.defaults }),
    isSerialized: kept?.serialize_allocations === true,
    allocations: options.isSingleAllocation ? 1 : allocations,
    group,
    gate: gateOf(group, options),
    on,
  };
}

/** A runner uses 120 to 150 MB, and half as much again where hundreds of jobs run. */
const RUNNER_MB = 256;

/** Of whole nodes whole gigabytes, as in Torc 1.0.0: Slurm knows a little less than a node has. */
function memoryText(megabytes: number, isWhole: boolean): string {
  const whole = Math.ceil(megabytes);
  if (whole >= 1024 && (isWhole || whole % 1024 === 0)) return `${Math.floor(whole / 1024)}g`;
  return `${whole}m`;
}

/** Why no job of the group would start in an allocation of the walltime that was given. */
function walltimeRefusal(
  group: JobGroup,
  { margins, walltimeSeconds: given }: SchedulerPlanOptions,
): string | undefined {
  if (given === undefined) return undefined;
  const whole = { lengthSeconds: given, leftSeconds: given };
  if (group.runtimeSeconds <= claimableSeconds(margins, whole)) return undefined;
  return `Resource requirements '${group.requirements.join(', ')}': no job would start in a walltime of ${formatWalltime(given)}; they need ${walltimeSum(group.runtimeSeconds, margins)}`;
}

/** What is wrong with a walltime that was given, although jobs start. */
function walltimeWarnings({ name, group, walltime, on }: PlannedScheduler, options: SchedulerPlanOptions): string[] {
  const { margins, walltimeSeconds: given } = options;
  if (given === undefined) return [];
  return [
    ...(given >= group.runtimeSeconds + overheadSeconds(margins)
      ? []
      : [
          `Walltime ${walltime} of ${name}: a job that uses all of its time is ended early; it needs ${walltimeSum(group.runtimeSeconds, margins)}`,
        ]),
    ...(given <= on.max_walltime_secs
      ? []
      : [
          `Walltime ${walltime} of ${name} exceeds the limit of partition '${on.name}', ${formatWalltime(on.max_walltime_secs)}`,
        ]),
  ];
}

/**
 * The jobs of a group that wait for none of the same group: the others become ready only when allocations of the group
 * run, so they must not be waited for.
 */
function gateOf({ jobs }: JobGroup, { waitsFor }: SchedulerPlanOptions): string[] {
  const own = new Set(jobs.map(({ number }) => number));
  const waitsForOwn = waitsFor((job) => own.has(job));
  return jobs.filter(({ number }) => !waitsForOwn(number)).map(({ name }) => name);
}

/**
 * The jobs of the longest chain in a group: those that wait for none of the group, those that wait for these, and so on. Not more than
 * the limit of the partition has room for.
 */
function levelsOf({ jobs, runtimeSeconds }: JobGroup, on: HpcPartition, { waitsFor }: SchedulerPlanOptions): number {
  const most = runtimeSeconds > 0 ? Math.ceil(on.max_walltime_secs / runtimeSeconds) : 1;
  let left = jobs.map(({ number }) => number);
  // The level that each job is known to be behind. A set for each level takes 13 s for a chain of 100,000 jobs.
  const levelOf = new Uint32Array(greatest(left, 0) + 1);
  let level = 0;
  while (left.length > 0 && level < most) {
    level += 1;
    for (const job of left) levelOf[job] = level;
    left = left.filter(waitsFor((job) => levelOf[job] === level));
  }
  return Math.max(1, level);
}
