import { greatest, smallest } from '../../core/quantity/extremes.ts';
import { type HpcPartition, partition } from '../../hpc/profile.ts';
import { parsePbsBytes, parsePbsSeconds, type PbsRecord } from './dsv.ts';

/** What the server says of itself, its queues and its nodes, and who asks. */
export interface PbsCluster {
  readonly nodes: readonly PbsRecord[];
  readonly queues: readonly PbsRecord[];
  readonly server: PbsRecord;
  readonly user: { readonly name: string; readonly group: string | undefined };
}

const MEBIBYTE = 2 ** 20;
/** The year of a queue without a limit. */
const UNLIMITED_SECONDS = 365 * 86_400;

/**
 * The queues as partitions, with what the nodes of each have and why it takes no job of this user.
 *
 * A queue that routes jobs has what its destinations have: some sites let people name no other one.
 */
export const pbsPartitions = (cluster: PbsCluster): HpcPartition[] =>
  cluster.queues
    .map((queue) => partitionOf(queue, cluster))
    .toSorted((one, other) => one.name.localeCompare(other.name));

function partitionOf(queue: PbsRecord, cluster: PbsCluster): HpcPartition {
  const ends = destinationsOf(queue, cluster);
  const nodes = cluster.nodes.filter((node) => ends.some((end) => nodesOfQueue(end, cluster.nodes).includes(node)));
  const shape = shapeOf(nodes);
  const refusal = queueRefusal(queue, cluster)?.words ?? (shape.count === 0 ? 'has no nodes' : undefined);
  const limits = ends.map((end) => (name: string) => limitOf(name, [end, queue, cluster.server]));
  const most = <T extends number>(read: (text: string | undefined) => T | undefined, name: string, none: number) =>
    greatest(
      limits.map((limit) => read(limit(name)) ?? none),
      ends.length === 0 ? none : 0,
    );
  const nodect = most(wholeIn, 'nodect', Infinity);
  const queued = mostQueued(queue, cluster.user.name);
  const { id } = queue;
  return partition({
    name: id,
    cpus_per_node: Math.min(shape.cpus, most(wholeIn, 'ncpus', Infinity)),
    memory_mb: Math.floor(Math.min(shape.memoryBytes, most(parsePbsBytes, 'mem', Infinity)) / MEBIBYTE),
    max_walltime_secs: most(parsePbsSeconds, 'walltime', UNLIMITED_SECONDS),
    gpus_per_node: shape.gpus > 0 ? shape.gpus : null,
    max_nodes: Number.isFinite(nodect) ? nodect : null,
    shared: nodes.every(({ fields }) => !/excl/.test(fields.get('sharing') ?? '')),
    ...(cluster.server.fields.get('default_queue') === id ? { is_default: true } : {}),
    total_nodes: shape.count,
    ...(queued === undefined ? {} : { max_queued_per_user: queued }),
    ...(refusal === undefined ? {} : { refusal }),
  });
}

const isRoute = ({ fields }: PbsRecord) => fields.get('queue_type') === 'Route';
const isTrue = ({ fields }: PbsRecord, name: string) => fields.get(name) === 'True';
const listIn = ({ fields }: PbsRecord, name: string): string[] =>
  (fields.get(name) ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));

/** The queues in which its jobs run: itself, or those that a queue of routes gives them to and that take jobs of this user. */
function destinationsOf(queue: PbsRecord, cluster: PbsCluster): PbsRecord[] {
  if (!isRoute(queue)) return [queue];
  const names = new Set(listIn(queue, 'route_destinations').map((name) => name.split('@')[0]));
  return cluster.queues.filter((each) => names.has(each.id) && !isRoute(each) && closed(each, cluster) === undefined);
}

/** Why a queue takes no job of a user; `byQsub`: it is refused at once, and does not wait. */
interface QueueRefusal {
  readonly words: string;
  readonly byQsub: boolean;
}

/** Why it takes no job of this user that names it; undefined if it takes them. */
export function queueRefusal(queue: PbsRecord, cluster: PbsCluster): QueueRefusal | undefined {
  if (!isTrue(queue, 'from_route_only')) return closed(queue, cluster);
  const by = cluster.queues.filter((each) =>
    listIn(each, 'route_destinations').some((name) => name.split('@')[0] === queue.id),
  );
  const names = by.map(({ id }) => id).join(' or ');
  return { words: `takes jobs of the queue ${names || 'that routes them'} only`, byQsub: true };
}

function closed(queue: PbsRecord, { user }: PbsCluster): QueueRefusal | undefined {
  if (!isTrue(queue, 'enabled')) return { words: 'is disabled: it takes no jobs', byQsub: true };
  if (!isTrue(queue, 'started')) return { words: 'is stopped: its jobs do not start', byQsub: false };
  const lists = [
    { what: 'user', name: user.name },
    { what: 'group', name: user.group },
  ];
  for (const { what, name } of lists) {
    const entries = listIn(queue, `acl_${what}s`);
    if (isTrue(queue, `acl_${what}_enable`) && name !== undefined && !isListed(entries, name))
      return { words: `takes jobs of these ${what}s only: ${entries.join(', ') || 'none'}`, byQsub: true };
  }
  return undefined;
}

/** The first entry that is about a name decides: `ann@*`, `-bob`, `+`. Source: pbs_queue_attributes(7B). */
function isListed(entries: readonly string[], name: string): boolean {
  const found = entries.find((entry) => {
    const about = entry.replace(/^[+-]/, '').replace(/@.*$/, '');
    return about === name || about === '' || about === '*';
  });
  return found !== undefined && !found.startsWith('-');
}

/** The least of the limits that several records set. */
function limitOf(name: string, records: readonly PbsRecord[]): string | undefined {
  const found = records.flatMap(({ fields }) => fields.get(`resources_max.${name}`) ?? []);
  return found.toSorted((one, other) => amountOf(one) - amountOf(other))[0];
}

const amountOf = (text: string): number => parsePbsSeconds(text) ?? parsePbsBytes(text) ?? Infinity;

/** The most jobs of this user that may wait and run in a queue: `[u:PBS_GENERIC=5],[u:ann=7],[o:PBS_ALL=100]`. */
function mostQueued({ fields }: PbsRecord, user: string): number | undefined {
  const limits = [...(fields.get('max_queued') ?? '').matchAll(/\[(\w):([^=\]]+)=(\d+)\]/g)];
  const of = (kind: string, name: string) => limits.find(([, type, who]) => type === kind && who === name)?.[3];
  const found = [of('u', user) ?? of('u', 'PBS_GENERIC'), of('o', 'PBS_ALL')].flatMap((text) => wholeIn(text) ?? []);
  return found.length === 0 ? undefined : smallest(found);
}

/**
 * The nodes on which jobs of a queue may run: those that are bound to it, or have what its chunks ask for by themselves
 * (`default_chunk.Qlist=gpu`), or else all that are bound to none.
 */
export function nodesOfQueue(queue: PbsRecord, nodes: readonly PbsRecord[]): PbsRecord[] {
  const bound = nodes.filter(({ fields }) => fields.get('queue') === queue.id);
  if (bound.length > 0) return bound;
  const free = nodes.filter(({ fields }) => fields.get('queue') === undefined);
  const marks = [...queue.fields].flatMap(([name, value]) => {
    const mark = /^default_chunk\.(.+)$/.exec(name)?.[1];
    return mark === undefined || wholeIn(value) !== undefined || parsePbsBytes(value) !== undefined
      ? []
      : [[mark, value] as const];
  });
  return free.filter(({ fields }) =>
    marks.every(([mark, value]) => {
      const has = fields.get(`resources_available.${mark}`);
      return has === undefined
        ? !nodes.some((node) => node.fields.has(`resources_available.${mark}`))
        : has.split(',').includes(value);
    }),
  );
}

interface Shape {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly count: number;
}

/**
 * What an allocation may ask of a node, and how many nodes have as much. Nodes of a queue differ: the shape is that with which its nodes give
 * the most CPUs, or, where only others have GPUs, what every node has.
 */
function shapeOf(nodes: readonly PbsRecord[]): Shape {
  const all = nodes.map(({ fields }) => ({
    cpus: wholeIn(fields.get('resources_available.ncpus')) ?? 0,
    memoryBytes: parsePbsBytes(fields.get('resources_available.mem')) ?? 0,
    gpus: wholeIn(fields.get('resources_available.ngpus')) ?? 0,
  }));
  const mostGpus = greatest(
    all.map(({ gpus }) => gpus),
    0,
  );
  const shapes = all.map(({ cpus, memoryBytes }) => {
    const alike = all.filter((each) => each.cpus >= cpus && each.memoryBytes >= memoryBytes);
    const gpus = greatest(
      alike.map((each) => each.gpus),
      0,
    );
    return { cpus, memoryBytes, gpus, count: alike.length };
  });
  const [best] = shapes
    .filter(({ gpus }) => gpus === mostGpus)
    .toSorted((one, other) => other.count * other.cpus - one.count * one.cpus || other.memoryBytes - one.memoryBytes);
  return best ?? { cpus: 0, memoryBytes: 0, gpus: 0, count: 0 };
}

/** A number as PBS prints it. */
export const wholeIn = (text: string | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) : undefined);
