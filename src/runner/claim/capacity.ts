import type { Need } from '../../core/contract/exchange.ts';
import {
  type NodeRoom,
  type NodeSize,
  nodesWithRoom,
  sizeWith,
  sizeWithout,
} from '../../core/lifecycle/placement/placement.ts';

/** The resources of a running job: the nodes that it is pinned to, and its devices. */
export interface Lease {
  readonly need: Need;
  /** Names of nodes; empty if the runner counts jobs. */
  readonly nodes: readonly string[];
  /**
   * Devices of its node. A job of several nodes has all of their devices; the program that starts it there assigns
   * them.
   */
  readonly gpus: readonly string[];
}

/** A node on which a runner starts jobs. */
export interface CapacityNode {
  readonly name: string;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly devices: readonly string[];
}

/**
 * The resource accounting of a runner: the free resources and devices of its nodes.
 *
 * Devices are leased in turn, so that all of them are used equally; a job has its own in the order of the node. No device is
 * leased to two jobs at once, because `lease` keeps the sum of requirements within the node.
 */
export interface Capacity {
  /** Of all nodes together. */
  readonly total: NodeSize;
  free(): NodeSize;
  /** Node by node; empty if jobs are counted. */
  nodes(): readonly NodeRoom[];
  /** Leases the resources of the job if it fits; its devices are among these, if some are named. */
  lease(need: Need, among?: readonly string[]): Lease | undefined;
  release(lease: Lease): void;
  /** No job can start on this node any more: it is counted no longer, unless it is the last one. */
  drop(node: string): void;
}

interface Book {
  readonly name: string;
  readonly total: NodeSize;
  readonly devices: readonly string[];
  free: NodeSize;
  idle: string[];
}

export function createCapacity(nodes: readonly CapacityNode[]): Capacity {
  const books = nodes.map(({ name, cpus, memoryBytes, devices }): Book => {
    const total = { cpus, memoryBytes, gpus: devices.length };
    return { name, total, devices, free: total, idle: [...devices] };
  });
  const byName = new Map(books.map((book) => [book.name, book]));
  let offered = books;
  return {
    get total() {
      return sum(offered.map(({ total }) => total));
    },
    free: () => sum(offered.map(({ free }) => free)),
    nodes: () => offered,
    lease(need, among) {
      const taken = nodesWithRoom(need, offered)?.map((place) => offered[place] as Book);
      if (taken === undefined) return undefined;
      for (const book of taken) book.free = sizeWith(need, book);
      const [first] = taken as [Book];
      const gpus = need.num_nodes > 1 ? [] : inOrder(first.devices, takeIdle(first, need.num_gpus, among));
      return { need, nodes: taken.map(({ name }) => name), gpus };
    },
    release({ need, nodes: names, gpus }) {
      for (const name of names) {
        const book = byName.get(name) as Book;
        book.free = sizeWithout(need, book);
        for (const each of gpus) book.idle.push(each);
      }
    },
    drop(node) {
      if (offered.length > 1) offered = offered.filter(({ name }) => name !== node);
    },
  };
}

function takeIdle(book: Book, count: number, among?: readonly string[]): readonly string[] {
  if (count <= 0) return [];
  if (among === undefined) return book.idle.splice(0, count);
  const taken = book.idle.filter((each) => among.includes(each)).slice(0, count);
  book.idle = book.idle.filter((each) => !taken.includes(each));
  return taken;
}

/** Device 0 of a program is the first one of its list. */
function inOrder(devices: readonly string[], taken: readonly string[]): readonly string[] {
  return taken.length < 2 ? taken : devices.filter((each) => taken.includes(each));
}

function sum(sizes: readonly NodeSize[]): NodeSize {
  const [first] = sizes;
  if (sizes.length === 1) return first as NodeSize;
  return sizes.reduce(
    (all, each) => ({
      cpus: all.cpus + each.cpus,
      memoryBytes: all.memoryBytes + each.memoryBytes,
      gpus: all.gpus + each.gpus,
    }),
    { cpus: 0, memoryBytes: 0, gpus: 0 },
  );
}

/**
 * The accounting of a runner that counts jobs and ignores their requirements: `slots` jobs at once. Devices are
 * assigned in turn, so two jobs may get the same one if jobs request more than there are.
 */
export function createSlots(slots: number, devices: readonly string[]): Capacity {
  let free = slots;
  const ring = [...devices];
  const infinite = { memoryBytes: Infinity, gpus: Infinity };
  return {
    total: { cpus: slots, ...infinite },
    free: () => ({ cpus: free, ...infinite }),
    nodes: () => [],
    lease(need) {
      if (free === 0) return undefined;
      free -= 1;
      const gpus = ring.splice(0, Math.max(0, Math.min(need.num_gpus, devices.length)));
      for (const each of gpus) ring.push(each);
      return { need, nodes: [], gpus: inOrder(devices, gpus) };
    },
    release() {
      free += 1;
    },
    drop() {},
  };
}
