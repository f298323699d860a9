import type { Need } from '../../contract/exchange.ts';

/** The total or the free resources of a node. */
export interface NodeSize {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
}

/** One of the nodes of a runner. It is idle when all of its resources are free. */
export interface NodeRoom {
  readonly free: NodeSize;
  readonly total: NodeSize;
}

const NOTHING: NodeSize = { cpus: 0, memoryBytes: 0, gpus: 0 };

/**
 * The nodes that a job gets, by their position in the list; undefined if there is no room for it now.
 *
 * A job of several nodes gets idle nodes for itself alone. A job of one node gets the fullest node that has room for
 * it, so that idle nodes stay available for jobs that need whole nodes. Requirements are per node. Server and runner
 * both use this function, so the runner has room for what the server assigns.
 */
export function nodesWithRoom(need: Need, nodes: readonly NodeRoom[]): readonly number[] | undefined {
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

/** The free resources of a node after a job was placed on it. */
export const sizeWith = (need: Need, { free }: NodeRoom): NodeSize =>
  need.num_nodes > 1
    ? NOTHING
    : {
        cpus: free.cpus - need.num_cpus,
        memoryBytes: free.memoryBytes - need.memory_bytes,
        gpus: free.gpus - need.num_gpus,
      };

/** The free resources of a node after the job ended. */
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
