import { type TimeMargins, walltimeFor, walltimeSum } from '../allocation/usable-time.ts';
import { formatWalltime } from '../quantity/slurm-time.ts';
import { canServe, choosePartition, type NodeNeeds } from './choose-partition.ts';
import type { JobGroup } from './job-group.ts';
import { type HpcPartition, partition } from './profile.ts';

/** A group of jobs and the partition of its allocations. */
export interface Placed {
  readonly group: JobGroup;
  readonly on: HpcPartition;
  /** It is the partition of the scheduler that the jobs had: its QOS and its resources can be kept. */
  readonly isKept: boolean;
}

export interface PlaceOptions {
  readonly partitions: readonly HpcPartition[];
  /** The only partition to use. */
  readonly forcedPartition?: string | undefined;
  readonly margins: TimeMargins;
  readonly walltimeMultiplier: number;
}

export interface Placement {
  readonly placed: Placed | undefined;
  readonly warning?: string;
}

/**
 * The partition of a group: that of the scheduler which its jobs had, or the best one. A partition serves only if its limit
 * leaves the time that the longest job requests beside what no job can use.
 */
export function placeGroup(group: JobGroup, options: PlaceOptions): Placement {
  const { partitions, forcedPartition: forced, margins } = options;
  const needs = needsOf(group, margins);
  const wide = partitions.filter((each) => group.nodes === 1 || (each.max_nodes ?? Infinity) >= group.nodes);
  const usable = forced === undefined ? wide : wide.filter(({ name }) => name === forced);
  const choice = choosePartition(usable, needs);
  const chosen = choice && { group, on: choice, isKept: false };
  const own = forced === undefined ? ownPartition(group, partitions) : undefined;
  if (own !== undefined && canServe(own, needs)) return { placed: { group, on: own, isKept: true } };
  if (own !== undefined && group.kept?.partition) {
    const why = shortage(group, own, options);
    const instead = choice === undefined ? '' : `; partition '${choice.name}' is planned instead`;
    return { placed: chosen, warning: `${about(group)}: partition '${own.name}' ${why}${instead}` };
  }
  return chosen === undefined ? { placed: undefined, warning: none(group, usable, options) } : { placed: chosen };
}

const needsOf = (group: JobGroup, margins: TimeMargins): NodeNeeds => ({
  cpus: group.cpus,
  memoryMb: group.memoryMb,
  gpus: group.gpus,
  walltimeSeconds: walltimeFor(group.runtimeSeconds, margins),
});

/**
 * The partition of the scheduler that the jobs had; without a name, the one that Slurm uses then. One that the profile does
 * not know, such as a list of several, is taken to run one job at a time.
 */
function ownPartition({ kept, cpus, gpus }: JobGroup, all: readonly HpcPartition[]): HpcPartition | undefined {
  if (kept === undefined) return undefined;
  const { partition: name } = kept;
  if (!name) return all.find((each) => each.is_default === true);
  return (
    all.find((each) => each.name === name) ??
    partition({
      name,
      cpus_per_node: cpus,
      memory_mb: Infinity,
      gpus_per_node: gpus,
      max_walltime_secs: UNKNOWN_LIMIT_SECONDS,
      shared: true,
    })
  );
}

/** As long as a partition without a limit. */
const UNKNOWN_LIMIT_SECONDS = 365 * 86_400;

const about = ({ requirements }: JobGroup) => `Resource requirements '${requirements.join(', ')}'`;

/** Torc's sentence, and the sum where only the limit of a partition is too short. */
function none(group: JobGroup, partitions: readonly HpcPartition[], options: PlaceOptions): string {
  const { requirements, cpus, memoryMb, runtimeSeconds, gpus } = group;
  const needs = needsOf(group, options.margins);
  const large = partitions.filter((each) => canServe(each, { ...needs, walltimeSeconds: 0 }));
  const [longest] = large.toSorted((a, b) => b.max_walltime_secs - a.max_walltime_secs);
  return (
    `No partition found for resource requirements '${requirements.join(', ')}' (CPUs: ${cpus}, Memory: ${memoryMb} MB, ` +
    `Runtime: ${formatWalltime(runtimeSeconds)}, GPUs: ${gpus})` +
    (longest === undefined ? '' : `: partition '${longest.name}' ${shortage(group, longest, options)}`)
  );
}

/** Why the partition cannot serve the group. */
function shortage(group: JobGroup, on: HpcPartition, { margins, walltimeMultiplier: factor }: PlaceOptions): string {
  if (!canServe(on, { ...needsOf(group, margins), walltimeSeconds: 0 }))
    return `has nodes of ${on.cpus_per_node} CPUs, ${on.memory_mb} MB and ${on.gpus_per_node ?? 0} GPUs`;
  return (
    `has a limit of ${formatWalltime(on.max_walltime_secs)}, and these jobs need at least ` +
    `${walltimeSum(group.runtimeSeconds, margins)} (the factor ${factor} for the runtime would come on top)`
  );
}
