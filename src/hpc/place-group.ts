import { type TimeMargins, walltimeFor, walltimeSum } from '../core/allocation/usable-time.ts';
import { formatWalltime } from '../core/quantity/slurm-time.ts';
import { partitionRefusal } from './access.ts';
import { canServe, choosePartition, type NodeNeeds } from './choose-partition.ts';
import type { JobGroup } from './job-group.ts';
import { type HpcPartition, mostNodes, partition } from './profile.ts';

/** A group of jobs and the partition of its allocations. */
export interface Placed {
  readonly group: JobGroup;
  readonly on: HpcPartition;
  /** It is the partition of the scheduler that the jobs had: its QOS and its resources can be kept. */
  readonly isKept: boolean;
  /** Why the default partition of the cluster does not do. */
  readonly notDefault?: string | undefined;
}

export interface PlaceOptions {
  readonly partitions: readonly HpcPartition[];
  /** The only partition to use. */
  readonly forcedPartition?: string | undefined;
  readonly margins: TimeMargins;
  readonly walltimeMultiplier: number;
  readonly account: string;
  readonly isAccountForced?: boolean;
  /** sbatch options of all allocations, by long name. */
  readonly defaults: Readonly<Record<string, unknown>>;
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
  const refusal = (each: HpcPartition) => refusalOf(group, each, options);
  const usable = partitions.filter((each) =>
    forced === undefined ? refusal(each) === undefined : each.name === forced && hasNodes(group, each),
  );
  const choice = choosePartition(usable, needs);
  const chosen = choice && { group, on: choice, isKept: false, notDefault: whyNotDefault(group, choice, options) };
  const own = forced === undefined ? ownPartition(group, partitions) : undefined;
  if (own !== undefined && canServe(own, needs) && refusal(own) === undefined)
    return { placed: { group, on: own, isKept: true } };
  if (own !== undefined && group.kept?.partition) {
    const why = shortage(group, own, options);
    const instead = choice === undefined ? '' : `; partition '${choice.name}' is planned instead`;
    return { placed: chosen, warning: `${about(group)}: partition '${own.name}' ${why}${instead}` };
  }
  if (chosen === undefined) return { placed: undefined, warning: none(group, usable, options) };
  const doubt = forced === undefined ? undefined : refusal(chosen.on);
  return doubt === undefined ? { placed: chosen } : { placed: chosen, warning: `Partition '${forced}' ${doubt}` };
}

/** Why allocations of the partition would not start for a group, whatever their size. */
function refusalOf({ kept, nodes }: JobGroup, on: HpcPartition, options: PlaceOptions): string | undefined {
  const { account, isAccountForced, defaults } = options;
  const text = (key: string) => (typeof defaults[key] === 'string' ? defaults[key] : undefined);
  if (!hasNodes({ nodes }, on)) return `gives an allocation ${on.min_nodes ?? 1} to ${mostNodes(on)} nodes`;
  return partitionRefusal(on, {
    account: isAccountForced === true ? account : (kept?.account ?? account),
    qos: (kept?.partition === on.name ? kept.qos : undefined) ?? text('qos') ?? on.default_qos ?? undefined,
    constraint: text('constraint'),
  });
}

/** The least number of nodes plays no part in the profiles of torc, as in Torc 1.0.0. */
const hasNodes = ({ nodes }: Pick<JobGroup, 'nodes'>, on: HpcPartition): boolean =>
  (nodes === 1 || mostNodes(on) >= nodes) && (!isAsked(on) || (on.min_nodes ?? 0) <= nodes);

function whyNotDefault(group: JobGroup, chosen: HpcPartition, options: PlaceOptions): string | undefined {
  const usual = options.partitions.find((each) => each.is_default === true);
  if (usual === undefined || usual.name === chosen.name) return undefined;
  if (options.forcedPartition !== undefined) return `--partition; the default is ${usual.name}`;
  return `the default one, ${usual.name}, ${shortage(group, usual, options)}`;
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
  // Of a cluster that was asked: what torc knows of sites is not about this user.
  const asked = options.forcedPartition === undefined ? options.partitions.filter(isAsked) : [];
  const refused = asked.flatMap((each) => {
    const why = refusalOf(group, each, options);
    return why === undefined ? [] : [`${each.name} ${why}`];
  });
  return (
    `No partition found for resource requirements '${requirements.join(', ')}' (CPUs: ${cpus}, Memory: ${memoryMb} MB, ` +
    `Runtime: ${formatWalltime(runtimeSeconds)}, GPUs: ${gpus})` +
    (longest === undefined ? '' : `: partition '${longest.name}' ${shortage(group, longest, options)}`) +
    (refused.length === 0 ? '' : `; passed over: ${refused.join(', ')}`)
  );
}

const isAsked = ({ total_nodes: total }: HpcPartition) => total !== undefined;

/** Why the partition cannot serve the group. */
function shortage(group: JobGroup, on: HpcPartition, options: PlaceOptions): string {
  const { margins, walltimeMultiplier: factor } = options;
  const refusal = refusalOf(group, on, options);
  if (refusal !== undefined) return refusal;
  if (!canServe(on, { ...needsOf(group, margins), walltimeSeconds: 0 }))
    return `has nodes of ${on.cpus_per_node} CPUs, ${on.memory_mb} MB and ${on.gpus_per_node ?? 0} GPUs`;
  return (
    `has a limit of ${formatWalltime(on.max_walltime_secs)}, and these jobs need at least ` +
    `${walltimeSum(group.runtimeSeconds, margins)} (the factor ${factor} for the runtime would come on top)`
  );
}
