import { batchWords } from '../core/allocation/batch-words.ts';
import { claimableSeconds, overheadSeconds, walltimeSum } from '../core/allocation/usable-time.ts';
import { counted } from '../core/quantity/count-text.ts';
import { formatWalltime, parseWalltime } from '../core/quantity/slurm-time.ts';
import { allocationSize, type SizeOptions } from './allocation-size.ts';
import { mergeGroups } from './merge-groups.ts';
import { chainSeconds, type WaitsFor } from './chain.ts';
import { extraOf, gresOf, type KeptScheduler } from './kept-scheduler.ts';
import { neededSeconds, type NodeHours, shareOf } from './node-hours.ts';
import { hasWholeNodes, packGroups, type Sized } from './pack-groups.ts';
import { type Placed, placeGroup } from './place-group.ts';
import type { Grouping } from './grouping.ts';
import type { JobGroup } from './job-group.ts';
import { type HpcPartition, mustBeNamed } from './profile.ts';
import { singleAllocation } from './single-allocation.ts';
import type { WorkflowRules } from './workflow-rules.ts';

export interface SchedulerPlanOptions extends SizeOptions, WorkflowRules {
  readonly partitions: readonly HpcPartition[];
  /** The batch system, as profiles name it. */
  readonly system?: string | undefined;
  /** For jobs without a scheduler of before, and for all if `isAccountForced`. */
  readonly account: string;
  readonly isAccountForced?: boolean;
  readonly groupBy: Grouping;
  readonly isSingleAllocation: boolean;
  /** The only partition to use. */
  readonly forcedPartition?: string | undefined;
  /** Whether scripts name every partition: Slurm itself chooses none but the default one, some sites do. */
  readonly namesPartitions?: boolean;
  /** Replaces the word `scheduler` in names. */
  readonly suffix?: string | undefined;
  /** Whether a job waits for one of these, of all jobs by number. */
  readonly waitsFor: WaitsFor;
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
  /** Of a scheduler for PBS: the sizes in its chunks are planned anew. */
  readonly pbs?: KeptScheduler['pbs'];
  readonly isSerialized: boolean;
  readonly allocations: number;
  readonly group: JobGroup;
  /** Names of the jobs that must be ready before its allocations are submitted. */
  readonly gate: readonly string[];
  /** The partition that Slurm will use. */
  readonly on: HpcPartition;
  /** Why it is not the default one. */
  readonly notDefault: string | undefined;
  /** How much of a node each allocation has of each of its nodes. */
  readonly share: number;
}

export interface SchedulerPlan {
  readonly schedulers: readonly PlannedScheduler[];
  readonly warnings: readonly string[];
  readonly nodeHours: NodeHours;
}

/** The allocations that groups of jobs need, on the partitions of a site. */
export function planSchedulers(groups: readonly JobGroup[], options: SchedulerPlanOptions): SchedulerPlan {
  const warnings: string[] = [];
  const { forcedPartition: forced } = options;
  if (forced !== undefined && options.partitions.every(({ name }) => name !== forced))
    return {
      schedulers: [],
      warnings: [`Partition '${forced}' not found in the profile`],
      nodeHours: { asked: 0, needed: 0 },
    };
  const found: Placed[] = [];
  for (const group of groups) {
    const requirements = group.requirements.join(', ');
    if (group.cpus <= 0 || group.memoryMb <= 0) {
      warnings.push(`Invalid resource requirements '${requirements}': CPUs or memory is zero`);
      continue;
    }
    if (group.nodes > 1 && !options.usesAllNodes && !batchWords(options.system).reachesAllNodes)
      warnings.push(
        `Resource requirements '${requirements}': jobs with num_nodes ${group.nodes} run as steps only; set execution_config: {mode: slurm}`,
      );
    const { placed, warning } = placeGroup(group, options);
    const refusal = placed && walltimeRefusal(placed.group, options);
    for (const words of [warning, refusal]) if (words !== undefined) warnings.push(words);
    if (placed !== undefined && refusal === undefined) found.push(placed);
  }
  const names = new Map<string, number>();
  const schedulers = sized(found, options).map((each) =>
    schedulerOf(each, options, distinct(baseOf(each, options), names)),
  );
  const asked = schedulers.reduce((sum, each) => sum + askedSeconds(each), 0);
  const byWidth = [...Map.groupBy(found, ({ on, group }) => `${on.name} ${group.nodes}`).values()];
  const needed = byWidth.map((list) =>
    neededSeconds(
      list.map(({ group }) => [group, group.jobs.length]),
      (list[0] as Placed).on,
    ),
  );
  return {
    schedulers,
    warnings: [
      ...new Set([
        ...warnings,
        ...schedulers.flatMap((each) => [...walltimeWarnings(each, options), ...notOne(each, options)]),
      ]),
    ],
    nodeHours: { asked: asked / HOUR, needed: needed.reduce((sum, seconds) => sum + seconds, 0) / HOUR },
  };
}

const HOUR = 3600;

/** The groups of a plan with their allocations. */
function sized(found: readonly Placed[], options: SchedulerPlanOptions): readonly Sized[] {
  if (options.groupBy === 'packed') return packGroups(found, options);
  const merged = options.groupBy === 'partition' ? mergeGroups(found, options) : found;
  return merged.map((placed) => {
    const { group, on } = placed;
    const chain = chainSeconds([group], options.waitsFor, on.max_walltime_secs);
    return { ...placed, size: allocationSize(group, on, options, chain) };
  });
}

const askedSeconds = ({ allocations, nodes, walltime, share }: PlannedScheduler): number =>
  allocations * nodes * parseWalltime(walltime) * share;

const baseOf = ({ group, on }: Placed, { groupBy }: SchedulerPlanOptions) =>
  `${groupBy === 'resource-requirements' ? group.requirements[0] : on.name}${group.isDeferred ? '_deferred' : ''}`;

/** Jobs are bound to schedulers by name: the second of a name gets a number. */
function distinct(base: string, names: Map<string, number>): string {
  const count = (names.get(base) ?? 0) + 1;
  names.set(base, count);
  return count === 1 ? base : `${base}_${count}`;
}

function schedulerOf(placed: Sized, options: SchedulerPlanOptions, base: string): PlannedScheduler {
  const { group, on, isKept, size } = placed;
  const { kept } = group;
  const { perNode } = size;
  const { walltimeSeconds, allocations, nodes } = options.isSingleAllocation
    ? singleAllocation(placed, options)
    : { ...size, nodes: group.nodes };
  const isNamed = isKept
    ? Boolean(kept?.partition)
    : mustBeNamed(options, on) || options.forcedPartition !== undefined || options.namesPartitions === true;
  const isWhole = hasWholeNodes(placed, options.defaults);
  return {
    name: `${base}_${options.suffix ?? 'scheduler'}`,
    account: options.isAccountForced === true ? options.account : (kept?.account ?? options.account),
    mem: memoryText(isWhole ? on.memory_mb : Math.min(on.memory_mb, perNode.memoryMb + RUNNER_MB), isWhole),
    nodes,
    walltime: formatWalltime(walltimeSeconds),
    partition: isNamed ? on.name : undefined,
    qos: (isKept ? kept?.qos : undefined) ?? on.default_qos ?? undefined,
    gres: gresOf(isKept ? kept : undefined, perNode.gpus),
    tmp: kept?.tmp ?? undefined,
    extra: extraOf(kept, { cpus: perNode.cpus, defaults: options.defaults }),
    ...(kept?.pbs ? { pbs: kept.pbs } : {}),
    isSerialized: kept?.serialize_allocations === true,
    allocations,
    group,
    gate: gateOf(group, options),
    on,
    notDefault: placed.notDefault,
    share: isWhole ? 1 : shareOf(perNode, on),
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

/** Why there are several allocations although one was asked for. */
const notOne = ({ name, allocations, nodes, on }: PlannedScheduler, options: SchedulerPlanOptions): string[] =>
  options.isSingleAllocation && allocations > 1
    ? [
        `${name}: partition '${on.name}' gives an allocation ${counted(nodes, 'node')} and ${formatWalltime(on.max_walltime_secs)} at most, so its jobs need ${allocations} allocations`,
      ]
    : [];

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
