import { startupWindowSeconds } from '../core/allocation/names.ts';
import { overheadSeconds, roundSeconds, walltimeFor } from '../core/allocation/usable-time.ts';
import { greatest, smallest } from '../core/quantity/extremes.ts';
import { type AllocationSize, LEAST_WORK_SECONDS, type SizeOptions, wholeMinutes } from './allocation-size.ts';
import {
  byClaim,
  fillAllocation,
  type FilledNode,
  type AllocationUse,
  type JobNeeds,
  peakOf,
} from './fill-allocation.ts';
import type { JobGroup } from './job-group.ts';
import { neededSeconds, shareOf } from './node-hours.ts';
import type { HpcPartition } from './profile.ts';
import { leftTogether } from './run-together.ts';

/** Allocations of one shape, and how many jobs of each group they are planned for. */
export interface Packed {
  readonly size: AllocationSize;
  readonly jobs: ReadonlyMap<JobGroup, number>;
}

export interface PackOptions extends SizeOptions {
  readonly on: HpcPartition;
  /** Allocations get whole nodes. */
  readonly isWhole: boolean;
  /** The time of jobs that wait for each other. */
  readonly chainSeconds: number;
}

/**
 * Very long allocations ask for the fewest node hours and wait longest. So the shortest walltime is taken whose allocations ask for at
 * most this times what their jobs need, and one allocation more.
 */
const MOST_ASKED = 1.5;

/**
 * Packs the jobs of some groups, which have the same number of nodes, into allocations of a partition: by time, and by what they need of a
 * node. First those with GPUs, for as long as these take, with other jobs beside them; the rest asks for no GPU.
 */
export function packJobs(groups: readonly JobGroup[], options: PackOptions): Packed[] {
  const packed: Packed[] = [];
  const { true: withGpus = [], false: others = [] } = Object.groupBy(groups, ({ gpus }) => String(gpus > 0));
  for (const wanted of [withGpus, others]) {
    const left = new Map(
      groups.map((group) => [group, packed.reduce((sum, { jobs }) => sum - (jobs.get(group) ?? 0), group.jobs.length)]),
    );
    if (wanted.some((group) => (left.get(group) as number) > 0))
      packed.push(shortest({ wanted, left, packed, kinds: kindsOf(groups, options) }, options));
  }
  return packed.toReversed();
}

/** The jobs of a partition in the order in which the server assigns them. */
const kindsOf = (groups: readonly JobGroup[], options: PackOptions): readonly GroupNeeds[] =>
  groups.map((group) => ({ group, kind: kindOf(group, options) })).toSorted((a, b) => byClaim(a.kind, b.kind));

interface GroupNeeds {
  readonly group: JobGroup;
  readonly kind: JobNeeds;
}

/** What is still to be packed. */
interface Rest {
  /** For the jobs of these groups; others run beside them. */
  readonly wanted: readonly JobGroup[];
  readonly left: ReadonlyMap<JobGroup, number>;
  /** What was packed before. */
  readonly packed: readonly Packed[];
  readonly kinds: readonly GroupNeeds[];
}

/** Allocations for all jobs that are left of the wanted groups. */
function shortest(rest: Rest, options: PackOptions): Packed {
  let best: { readonly packed: Packed; readonly cost: number } | undefined;
  for (const seconds of candidates(rest, options)) {
    const alone = packInto(seconds, rest, options);
    if (best !== undefined && asked(alone, rest, options).isMuch) continue;
    const packed = enough(alone, rest, options);
    if (packed !== undefined && !asked(packed, rest, options).isMuch) return packed;
    const fallback = packed ?? alone;
    const { askedSeconds: cost } = asked(fallback, rest, options);
    if (best === undefined || cost < best.cost) best = { packed: fallback, cost };
  }
  return (best as { packed: Packed }).packed;
}

/** What these allocations ask for, and whether it is much, with those that were packed before. */
function asked(packed: Packed, rest: Rest, { isWhole, on }: PackOptions) {
  const one = ({ size: { walltimeSeconds, perNode } }: Packed) =>
    walltimeSeconds * (isWhole ? 1 : shareOf(perNode, on)) * (rest.wanted[0] as JobGroup).nodes;
  const all = [...rest.packed, packed];
  const beyondOne = all.reduce((sum, each) => sum + (each.size.allocations - 1) * one(each), 0);
  return {
    askedSeconds: packed.size.allocations * one(packed),
    isMuch:
      beyondOne >
      MOST_ASKED *
        neededSeconds(
          all.flatMap(({ jobs }) => [...jobs]),
          on,
        ),
  };
}

/** Where these do not help, a longer walltime does: the next candidate. */
const MOST_ADDED = 5;

/** Adds allocations as long as jobs are left where all runners start together; undefined where that does not help. */
function enough(
  alone: Packed,
  { wanted, left: now, packed: before, kinds }: Rest,
  options: PackOptions,
): Packed | undefined {
  const { mostJobs } = nodeOf(wanted, options);
  const runners = ({ size: { allocations: count, perNode, walltimeSeconds } }: Packed) => {
    const usableSeconds = walltimeSeconds - overheadSeconds(options.margins);
    return { count, node: { ...perNode, mostJobs }, usableSeconds };
  };
  let packed = alone;
  for (let added = 0; ; added += 1) {
    const shapes = [...before, packed].map(runners);
    const counts = kinds.map(({ group }) => group.jobs.length);
    const left = leftTogether(
      kinds.map(({ kind }) => kind),
      counts,
      shapes,
    );
    const isEnough = kinds.every(({ group }, at) => left[at] === 0 || !wanted.includes(group));
    // Others that ran beside the wanted ones in the simulation of one after another may be left.
    if (isEnough) {
      const of = (at: number, group: JobGroup) => Math.max(0, (now.get(group) as number) - (left[at] as number));
      return { ...packed, jobs: new Map(kinds.map(({ group }, at) => [group, of(at, group)])) };
    }
    if (added === MOST_ADDED) return undefined;
    packed = { ...packed, size: { ...packed.size, allocations: packed.size.allocations + 1 } };
  }
}

/** Growing times for jobs: whole numbers of rounds of the longest job, up to the limit of the partition. */
function* candidates({ wanted, left }: Rest, options: PackOptions): Generator<number> {
  const open = wanted.filter((group) => (left.get(group) as number) > 0);
  const longest = greatest(open.map(({ runtimeSeconds }) => runtimeSeconds));
  const round = greatest(open.map((group) => kindOf(group, options).seconds));
  const limit = Math.max(limitSeconds(options), round);
  if (options.walltimeSeconds !== undefined)
    yield Math.max(round, options.walltimeSeconds - overheadSeconds(options.margins));
  else if (options.walltimeStrategy === 'max-partition-time' || smallest(open.map(runtimeOf)) <= 0) yield limit;
  else {
    const least = leastSeconds(wanted, left, options);
    let before = 0;
    for (let rounds = Math.max(1, Math.floor(LEAST_WORK_SECONDS / longest)); before < limit; rounds = next(rounds)) {
      const seconds = Math.min(limit, Math.max(least, rounds * round));
      if (seconds > before) yield seconds;
      before = seconds;
    }
  }
}

const runtimeOf = ({ runtimeSeconds }: JobGroup) => runtimeSeconds;

const next = (rounds: number) => Math.max(rounds + 1, Math.ceil(rounds * 1.25));

/** What the longest job gets, and jobs that wait for each other. */
function leastSeconds(
  wanted: readonly JobGroup[],
  left: ReadonlyMap<JobGroup, number>,
  { walltimeMultiplier, chainSeconds }: PackOptions,
): number {
  const longest = greatest(wanted.filter((group) => (left.get(group) as number) > 0).map(runtimeOf));
  // Where none waits for another, the chain is the longest job, of whatever kind.
  const isChain = chainSeconds > greatest([...left.keys()].map(runtimeOf));
  return Math.ceil(walltimeMultiplier * (isChain ? chainSeconds : longest));
}

/** What the partition allows for jobs. */
const limitSeconds = ({ on, margins }: PackOptions): number =>
  Math.max(1, wholeMinutes(on.max_walltime_secs) - overheadSeconds(margins));

/** A job for the runner; without a runtime it takes what there is. */
function kindOf({ cpus, memoryMb, gpus, runtimeSeconds: runtime }: JobGroup, options: PackOptions): JobNeeds {
  const most = limitSeconds(options);
  const seconds = runtime <= 0 ? most : Math.min(runtime + roundSeconds(runtime), Math.max(most, runtime));
  return { cpus, memoryMb, gpus, seconds };
}

/**
 * The allocations if each has so many seconds for jobs.
 *
 * Runners are simulated one after another: each takes all that fits of what those before it left.
 */
function packInto(seconds: number, { wanted, left: before, kinds: inOrder }: Rest, options: PackOptions): Packed {
  const kinds = inOrder.map(({ kind }) => kind);
  const counts = inOrder.map(({ group }) => before.get(group) as number);
  const left = [...counts];
  const isWanted = inOrder.map(({ group }) => wanted.includes(group));
  const runs: { readonly filling: AllocationUse; readonly times: number }[] = [];
  const node = nodeOf(wanted, options);
  const least = leastSeconds(wanted, before, options);
  const own = left.map((jobs, at) => (isWanted[at] === true ? jobs : 0));
  const alone = fillAllocation(kinds, own, node, seconds);
  // A single allocation ends with the last of its jobs, and one with GPUs does not go on for other jobs only.
  const isSingle = own.every((jobs, at) => alone.taken[at] === jobs);
  const usable = isSingle ? Math.min(seconds, Math.max(least, alone.endSeconds)) : seconds;
  while (left.some((jobs, at) => jobs > 0 && isWanted[at] === true)) {
    const filling = fillAllocation(kinds, left, node, usable);
    // As long as there is as much of each kind, the next runner takes the same.
    const repeats = filling.taken.map((taken, at) =>
      taken === 0 ? Infinity : Math.floor((left[at] as number) / taken),
    );
    const times = smallest(repeats);
    for (const [at, taken] of filling.taken.entries()) (left[at] as number) -= taken * times;
    runs.push({ filling, times });
  }
  const jobs = new Map(inOrder.map(({ group }, at) => [group, (counts[at] as number) - (left[at] as number)]));
  const allocations = runs.reduce((sum, { times }) => sum + times, 0);
  const endSeconds = greatest(runs.map(({ filling }) => filling.endSeconds));
  // One allocation ends with its last job; of several, each has time for any.
  const work = allocations === 1 ? Math.max(endSeconds, least) : usable;
  const walltimeSeconds = walltimeOf(work, allocations, wanted, options);
  return { size: { walltimeSeconds, allocations, perNode: peakOf(runs.map(({ filling }) => filling)) }, jobs };
}

function walltimeOf(seconds: number, allocations: number, wanted: readonly JobGroup[], options: PackOptions): number {
  const { on, margins, walltimeSeconds: given, walltimeStrategy: strategy, staggersStarts } = options;
  const limit = wholeMinutes(on.max_walltime_secs);
  if (given !== undefined) return given;
  if (strategy === 'max-partition-time' || smallest(wanted.map(runtimeOf)) <= 0) return limit;
  return Math.min(limit, walltimeFor(seconds, margins, staggersStarts ? startupWindowSeconds(allocations) : 0));
}

/** A job of several nodes has them for itself. */
const nodeOf = ([first]: readonly JobGroup[], { on }: PackOptions): FilledNode => ({
  cpus: on.cpus_per_node,
  memoryMb: on.memory_mb,
  gpus: on.gpus_per_node ?? 0,
  mostJobs: (first as JobGroup).nodes > 1 ? 1 : Infinity,
});
