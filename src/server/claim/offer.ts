import type { Need, Want } from '../../core/contract/exchange.ts';
import { covers, sortedLabels } from '../../core/lifecycle/placement/labels.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ComputeNodesResources } from '../../core/contract/resources.ts';
import type { JobKind } from '../../core/lifecycle/placement/obstacles.ts';
import type { LimitRoom } from '../../core/lifecycle/placement/limits.ts';
import { type NodeSize, nodesWithRoom } from '../../core/lifecycle/placement/placement.ts';
import { parseDuration } from '../../core/quantity/duration.ts';
import { byNeed, type ClaimableClass, type WaitingJob, walkReady } from './merge.ts';
import { bytesOfGibibytes, fitsNode, type FreeResources, roomOf, roomOfNodes } from './room.ts';

/** A job that was chosen for a runner. */
export interface ChosenJob {
  readonly id: number;
  readonly need: Need;
}

/** Could the runner take a job of this kind, now or when its node is empty? */
export function fitsOffer(want: Want, offer: ComputeNodesResources): (kind: JobKind) => boolean {
  const labels = sortedLabels(offer.labels);
  const secondsLeft = secondsOf(offer.time_limit);
  const { couldFit } = placesOf(want, offer);
  return (kind) => covers(labels, kind.labels) && kind.need.runtime_seconds <= secondsLeft && couldFit(kind.need);
}

/** Is a job of this kind meant for no other scheduler than the runner's? */
export const isBoundTo =
  ({ scheduler_config_id: own }: ComputeNodesResources) =>
  ({ schedulerId }: JobKind): boolean =>
    schedulerId === null || schedulerId === (own ?? null);

/** The remaining seconds of an offer; without a time limit there is no end. */
function secondsOf(timeLimit: string | null | undefined): number {
  if (timeLimit === undefined || timeLimit === null) return Infinity;
  try {
    return parseDuration(timeLimit);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const facts = { field: 'time_limit', found: timeLimit };
    throw new Refusal(cause.code, `Invalid time_limit: ${cause.message}`, facts, { cause });
  }
}

/** The room that limits leave for jobs of a workflow. */
export interface WithinLimits extends Pick<LimitRoom, 'counts' | 'take'> {
  isFull(need: Need): boolean;
}

interface ClaimRoom {
  readonly free: FreeResources;
  /** Undefined if there are no limits. */
  readonly within: WithinLimits | undefined;
}

/** Packs ready jobs into the room, best first, and then chooses those that wait in the runner for the next free slot. */
export function pack(
  classes: readonly ClaimableClass[],
  want: Pick<Want, 'limit' | 'prefetch'>,
  { free: room, within }: ClaimRoom,
  fetch: (classId: number, limit: number, offset: number) => WaitingJob[],
): ChosenJob[] {
  const chosen: ChosenJob[] = [];
  let starts = want.limit;
  let ahead = want.prefetch;
  walkReady(classes, byNeed, want.limit + want.prefetch, fetch, (id, need) => {
    if (within?.isFull(need)) return 'drop-class';
    const isLimited = within?.counts(need) === true;
    if (starts > 0 && room.take(need)) starts -= 1;
    // A job that waits in a runner would hold what others could use.
    else if (isLimited) return 'drop-class';
    else if (ahead > 0) ahead -= 1;
    else return starts === 0 ? 'stop' : 'drop-class';
    within?.take(need);
    chosen.push({ id, need });
    return starts + ahead === 0 ? 'stop' : 'next';
  });
  return chosen;
}

export interface FreePlaces {
  /** The free resources. */
  room(): FreeResources;
  /** Whether a search for jobs with these requirements is useful: they fit now or, ahead, into empty nodes. */
  couldFit(need: Need): boolean;
}

export function placesOf({ prefetch, capacity, nodes }: Want, offer: ComputeNodesResources): FreePlaces {
  if (nodes !== undefined && nodes !== null) {
    const now = nodes.map(({ free, total }) => ({ free: sizeOf(free), total: sizeOf(total) }));
    const then = prefetch > 0 ? now.map(({ total }) => ({ free: total, total })) : now;
    return { room: () => roomOfNodes(now), couldFit: (need) => nodesWithRoom(need, then) !== undefined };
  }
  const now = { ...sizeOf(offer), nodes: offer.num_nodes };
  const isAhead = prefetch > 0 && capacity !== undefined && capacity !== null;
  const then = isAhead ? { ...sizeOf(capacity), nodes: offer.num_nodes } : now;
  return { room: () => roomOf(now), couldFit: (need) => fitsNode(need, then) };
}

type SizeReported = Pick<ComputeNodesResources, 'num_cpus' | 'memory_gb' | 'num_gpus'>;

const sizeOf = ({ num_cpus: cpus, memory_gb: memory, num_gpus: gpus }: SizeReported): NodeSize => ({
  cpus,
  memoryBytes: bytesOfGibibytes(memory),
  gpus,
});
