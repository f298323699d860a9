import type { Availability, QueueDepth } from './live-profile.ts';

/** How to split the allocations of a group: one large one, several of some nodes, or many of one node. */
export interface Recommendation {
  readonly strategy: 'default' | 'single' | 'chunked' | 'many-small';
  readonly allocations: number;
  readonly nodesPerAllocation: number;
  readonly reason: string;
}

/** When the allocations would start and be done, in minutes from now. */
export interface Estimates {
  readonly largeFinish: number;
  readonly smallWait: number;
  readonly smallFinish: number;
}

interface Situation {
  /** Allocations of as few nodes as possible. */
  readonly ideal: number;
  /** The nodes of such an allocation: more than one where a job needs them. */
  readonly nodesEach: number;
  /** Undefined where the cluster is not asked. */
  readonly nodes: Availability | undefined;
  readonly queue: QueueDepth | undefined;
  readonly isOffline: boolean;
  readonly estimates?: Estimates | undefined;
}

/** Nodes are asked for together where they are free, and apart where many jobs wait for them. */
export function recommend(situation: Situation): Recommendation {
  const { nodesEach } = situation;
  const found = inUnits(situation);
  return { ...found, nodesPerAllocation: found.nodesPerAllocation * nodesEach };
}

/** Counts the nodes of a job as one. */
function inUnits({ ideal, nodesEach, nodes, queue, isOffline, estimates }: Situation): Recommendation {
  const single = (reason: string): Recommendation => ({
    strategy: 'single',
    allocations: 1,
    nodesPerAllocation: Math.max(1, ideal),
    reason,
  });
  if (isOffline)
    return {
      strategy: 'default',
      allocations: ideal,
      nodesPerAllocation: 1,
      reason: 'the cluster was not asked (--offline)',
    };
  if (ideal <= 1) return single(nodesEach === 1 ? 'one node is enough' : 'the nodes of one job are enough');
  const idle = Math.floor((nodes?.idle ?? 0) / nodesEach);
  const total = nodes?.total ?? 0;
  const pressure = total === 0 ? 0 : (queue?.pendingNodes ?? 0) / total;
  const state = `${nodes?.idle ?? 0} of ${total} nodes are idle, ${queue?.pendingNodes ?? 0} are waited for`;
  if (idle >= ideal && pressure < 0.5) return single(state);
  const split: Recommendation =
    idle < Math.floor((ideal + 2) / 3) || pressure > 2 || LEAST_CHUNK * nodesEach > total
      ? { strategy: 'many-small', allocations: ideal, nodesPerAllocation: 1, reason: state }
      : chunks(ideal, idle, state);
  if (estimates === undefined) return split;
  // Small allocations of one user start one after another, up to ten times the wait of the first.
  const { largeFinish, smallWait, smallFinish } = estimates;
  const manySmall = smallWait * Math.min(ideal, 10) + Math.max(0, smallFinish - smallWait);
  const reported = `${state}; one large allocation would finish in ${minutesText(largeFinish)}, small ones in ${minutesText(manySmall)}`;
  return largeFinish <= manySmall ? single(reported) : { ...split, reason: reported };
}

/** Fewer would be one by one. */
const LEAST_CHUNK = 2;

function chunks(ideal: number, idle: number, reason: string): Recommendation {
  const size = Math.max(LEAST_CHUNK, Math.min(Math.floor(idle / 2), 8, Math.floor(ideal / 2)));
  return { strategy: 'chunked', allocations: Math.ceil(ideal / size), nodesPerAllocation: size, reason };
}

/** `45s`, `45min`, `2h`, `2h 30min`. */
export function minutesText(minutes: number): string {
  const seconds = Math.max(0, Math.round(minutes * 60));
  if (seconds < 60) return `${seconds}s`;
  const whole = Math.round(seconds / 60);
  if (whole < 60) return `${whole}min`;
  return whole % 60 === 0 ? `${whole / 60}h` : `${Math.floor(whole / 60)}h ${whole % 60}min`;
}
