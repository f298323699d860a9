import type { Need } from '../../core/contract/exchange.ts';
import { type NodeRoom, nodesWithRoom, sizeWith } from '../../core/lifecycle/placement/placement.ts';

/** The resources of one node; `nodes` of them are offered. */
export interface Offer {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly nodes: number;
}

/**
 * The room that is left in an offer while jobs are packed into it.
 *
 * Jobs of one node share the nodes that are left by jobs of several nodes, which take whole nodes. Greedy: a job that
 * does not fit is skipped, so a wide job at the head cannot idle a node; it may starve under a steady stream of narrow
 * ones, as in Torc 1.0.0.
 */
export interface FreeResources {
  /** Takes the job if it fits. Requirements that did not fit once will not fit later: room only shrinks. */
  take(need: Need): boolean;
}

export function roomOf(offer: Offer): FreeResources {
  let exclusiveNodes = 0;
  const shared = { cpus: 0, memoryBytes: 0, gpus: 0 };

  const sharedFits = (cpus: number, memoryBytes: number, gpus: number, nodes: number) =>
    cpus <= offer.cpus * nodes && memoryBytes <= offer.memoryBytes * nodes && gpus <= offer.gpus * nodes;

  return {
    take(need) {
      if (!fitsNode(need, offer)) return false;
      if (need.num_nodes > 1) {
        const left = offer.nodes - exclusiveNodes - need.num_nodes;
        if (left < 0 || !sharedFits(shared.cpus, shared.memoryBytes, shared.gpus, left)) return false;
        exclusiveNodes += need.num_nodes;
        return true;
      }
      const cpus = shared.cpus + need.num_cpus;
      const memoryBytes = shared.memoryBytes + need.memory_bytes;
      const gpus = shared.gpus + need.num_gpus;
      if (!sharedFits(cpus, memoryBytes, gpus, offer.nodes - exclusiveNodes)) return false;
      shared.cpus = cpus;
      shared.memoryBytes = memoryBytes;
      shared.gpus = gpus;
      return true;
    },
  };
}

/** The room of nodes whose free resources are known: each job is placed on specific nodes. */
export function roomOfNodes(nodes: readonly NodeRoom[]): FreeResources {
  const left = nodes.map(({ free, total }) => ({ free, total }));
  return {
    take(need) {
      const places = nodesWithRoom(need, left);
      for (const place of places ?? []) {
        const node = left[place] as NodeRoom;
        left[place] = { ...node, free: sizeWith(need, node) };
      }
      return places !== undefined;
    },
  };
}

/** Whether the job fits into nodes like these when they are empty. */
export function fitsNode(need: Need, { cpus, memoryBytes, gpus, nodes }: Offer): boolean {
  return need.num_cpus <= cpus && need.memory_bytes <= memoryBytes && need.num_gpus <= gpus && need.num_nodes <= nodes;
}

/** Memory in GiB, as runners send it, in bytes. */
export const bytesOfGibibytes = (gibibytes: number) => Math.floor(gibibytes * 2 ** 30);
