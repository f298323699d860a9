import type { Need } from '../contract/exchange.ts';

/** What a node has, or what of it is free. */
export interface NodeSize {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

/** One of the nodes of a runner. It is idle when all of it is free. */
export interface NodeRoom {
  readonly free: NodeSize;
  readonly total: NodeSize;
}

const NOTHING: NodeSize = { cpus: 0, memoryBytes: 0, gpus: 0 };

/**
 * The nodes that a job gets, by their places in the list; undefined when there is no room for it now.
 *
 * A job of several nodes gets idle ones and nobody else is let in. A job of one node gets the fullest that still holds
 * it, so that idle ones stay idle for those who need them whole. What a job needs is per node. Server and runner both ask
 * here: what one promises, the other finds room for.
 */
export function placeOf(need: Need, nodes: readonly NodeRoom[]): readonly number[] | undefined {
  if (need.num_nodes > 1) {
    const idle: number[] = [];
    for (const [place, { free, total }] of nodes.entries()) {
      if (idle.length === need.num_nodes) break;
      if (isSame(free, total) && holds(free, need)) idle.push(place);
    }
    return idle.length === need.num_nodes ? idle : undefined;
  }
  let best: number | undefined;
  let bestCpus = Infinity;
  for (const [place, { free }] of nodes.entries()) {
    if (free.cpus >= bestCpus || !holds(free, need)) continue;
    best = place;
    bestCpus = free.cpus;
  }
  return best === undefined ? undefined : [best];
}

/** What of a node is free when a job was let in that got it. */
export const sizeWith = (need: Need, { free }: NodeRoom): NodeSize =>
  need.num_nodes > 1
    ? NOTHING
    : {
        cpus: free.cpus - need.num_cpus,
        memoryBytes: free.memoryBytes - need.memory_bytes,
        gpus: free.gpus - need.num_gpus,
      };

/** What of it is free when that job has left. */
export const sizeWithout = (need: Need, { free, total }: NodeRoom): NodeSize =>
  need.num_nodes > 1
    ? total
    : {
        cpus: free.cpus + need.num_cpus,
        memoryBytes: free.memoryBytes + need.memory_bytes,
        gpus: free.gpus + need.num_gpus,
      };

const holds = ({ cpus, memoryBytes, gpus }: NodeSize, need: Need) =>
  need.num_cpus <= cpus && need.memory_bytes <= memoryBytes && need.num_gpus <= gpus;

const isSame = (one: NodeSize, other: NodeSize) =>
  one.cpus === other.cpus && one.memoryBytes === other.memoryBytes && one.gpus === other.gpus;
