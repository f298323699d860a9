import { parsePbsBytes } from '../../core/allocation/chunks.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';
import { type HpcPartition, partition } from '../../hpc/profile.ts';
import type { PbsRecord } from './dsv.ts';
import { type PbsJobLimits, jobLimitsOf, nodesBehind, type PbsCluster, queueRefusal, wholeIn } from './queues.ts';

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
  const nodes = nodesBehind(queue, cluster);
  const shape = shapeOf(kindsOfNodes(nodes));
  const limits = jobLimitsOf(queue, cluster);
  const refusal = queueRefusal(queue, cluster)?.words ?? (shape.count === 0 ? 'has no nodes' : undefined);
  const queued = mostQueued(queue, cluster.user.name);
  const gpus = Math.min(shape.gpus, limits.gpus);
  const most = mostNodesWithin(limits, shape);
  const { id } = queue;
  return partition({
    name: id,
    cpus_per_node: Math.min(shape.cpus, limits.cpus),
    memory_mb: Math.floor(Math.min(shape.memoryBytes, limits.memoryBytes) / MEBIBYTE),
    max_walltime_secs: Math.min(limits.walltimeSeconds, UNLIMITED_SECONDS),
    gpus_per_node: gpus > 0 ? gpus : null,
    max_nodes: Number.isFinite(most) ? most : null,
    min_nodes: limits.leastNodes > 1 ? limits.leastNodes : null,
    shared: nodes.every(({ fields }) => !/excl/.test(fields.get('sharing') ?? '')),
    ...(cluster.server.fields.get('default_queue') === id ? { is_default: true } : {}),
    total_nodes: shape.count,
    ...(queued === undefined ? {} : { max_queued_per_user: queued }),
    ...(refusal === undefined ? {} : { refusal }),
  });
}

/** So many whole nodes fit into limits that hold for all of a job, and one that it has a part of. */
const mostNodesWithin = (limits: PbsJobLimits, shape: PbsNodeKind): number =>
  smallest([
    limits.nodes,
    ...(['cpus', 'memoryBytes', 'gpus'] as const).map((each) =>
      shape[each] > 0 ? Math.max(1, Math.floor(limits[each] / shape[each])) : Infinity,
    ),
  ]);

/** The most jobs of this user that may wait and run in a queue: `[u:PBS_GENERIC=5],[u:ann=7],[o:PBS_ALL=100]`. */
function mostQueued({ fields }: PbsRecord, user: string): number | undefined {
  const limits = [...(fields.get('max_queued') ?? '').matchAll(/\[(\w):([^=\]]+)=(\d+)\]/g)];
  const of = (kind: string, name: string) => limits.find(([, type, who]) => type === kind && who === name)?.[3];
  const found = [of('u', user) ?? of('u', 'PBS_GENERIC'), of('o', 'PBS_ALL')].flatMap((text) => wholeIn(text) ?? []);
  return found.length === 0 ? undefined : smallest(found);
}

/** What so many nodes have; what is not known of their memory is 0. */
export interface PbsNodeKind {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly count: number;
}

/** The kinds of these nodes. Thousands of nodes are of a few. */
export function kindsOfNodes(nodes: readonly PbsRecord[]): PbsNodeKind[] {
  const counts = Map.groupBy(nodes, ({ fields }) =>
    ['ncpus', 'mem', 'ngpus'].map((name) => fields.get(`resources_available.${name}`) ?? '').join('|'),
  );
  return [...counts].map(([key, { length: count }]) => {
    const [cpus, memory, gpus] = key.split('|');
    return { cpus: wholeIn(cpus) ?? 0, memoryBytes: parsePbsBytes(memory) ?? 0, gpus: wholeIn(gpus) ?? 0, count };
  });
}

/**
 * What an allocation may ask of a node, and how many nodes have as much. Nodes of a queue differ: the shape is that with which its nodes give
 * the most CPUs, or, where only others have GPUs, what every node has.
 */
function shapeOf(sizes: readonly PbsNodeKind[]): PbsNodeKind {
  const most = (list: readonly PbsNodeKind[]) =>
    greatest(
      list.map(({ gpus }) => gpus),
      0,
    );
  const mostGpus = most(sizes);
  const shapes = sizes.map(({ cpus, memoryBytes }) => {
    const alike = sizes.filter((each) => each.cpus >= cpus && each.memoryBytes >= memoryBytes);
    return { cpus, memoryBytes, gpus: most(alike), count: alike.reduce((sum, { count }) => sum + count, 0) };
  });
  const [best] = shapes
    .filter(({ gpus }) => gpus === mostGpus)
    .toSorted((one, other) => other.count * other.cpus - one.count * one.cpus || other.memoryBytes - one.memoryBytes);
  return best ?? { cpus: 0, memoryBytes: 0, gpus: 0, count: 0 };
}
