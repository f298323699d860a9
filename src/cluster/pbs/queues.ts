import { parsePbsBytes } from '../../core/allocation/chunks.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';
import { parsePbsSeconds, type PbsRecord } from './dsv.ts';

/** What the server says of itself, its queues and its nodes, and the user that asks. */
export interface PbsCluster {
  readonly nodes: readonly PbsRecord[];
  readonly queues: readonly PbsRecord[];
  readonly server: PbsRecord;
  readonly user: { readonly name: string; readonly group: string | undefined };
}

const isRoute = ({ fields }: PbsRecord) => fields.get('queue_type') === 'Route';
const isTrue = ({ fields }: PbsRecord, name: string) => fields.get(name) === 'True';
const listIn = ({ fields }: PbsRecord, name: string): string[] =>
  (fields.get(name) ?? '').split(',').flatMap((word) => (word.trim() === '' ? [] : [word.trim()]));
const destinationsOf = (queue: PbsRecord): string[] =>
  listIn(queue, 'route_destinations').map((name) => name.split('@')[0] as string);

/**
 * The queues that run its jobs: itself, or, of a queue with routes, the queues at their ends that take jobs of this user.
 * `seen` are the routes on the way, which may lead back.
 */
function endsOf(queue: PbsRecord, cluster: PbsCluster, seen = new Set<string>()): PbsRecord[] {
  if (!isRoute(queue)) return [queue];
  seen.add(queue.id);
  const names = new Set(destinationsOf(queue));
  const next = cluster.queues.filter(({ id }) => names.has(id));
  const ends = next.flatMap((each) =>
    seen.has(each.id) || closed(each, cluster) !== undefined ? [] : endsOf(each, cluster, seen),
  );
  return [...new Set(ends)];
}

/** Whether it gives jobs to queues of other servers: nothing is known of those. */
export const leadsAway = (queue: PbsRecord, { queues }: PbsCluster): boolean =>
  isRoute(queue) && destinationsOf(queue).some((name) => !queues.some(({ id }) => id === name));

/** The nodes on which jobs of a queue may run, over routes too. */
export const nodesBehind = (queue: PbsRecord, cluster: PbsCluster): PbsRecord[] => [
  ...new Set(endsOf(queue, cluster).flatMap((end) => nodesOf(end, cluster.nodes))),
];

/** What one job may have in a queue; infinite where nothing limits it. */
export interface PbsJobLimits {
  readonly walltimeSeconds: number;
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly nodes: number;
  readonly leastNodes: number;
}

/** The limits of a queue and of its server, and the widest of those behind it. */
export function jobLimitsOf(queue: PbsRecord, cluster: PbsCluster): PbsJobLimits {
  const ends = endsOf(queue, cluster);
  type Read = (text: string | undefined) => number | undefined;
  const least = (end: PbsRecord, name: string, read: Read) =>
    smallest(
      [end, queue, cluster.server].flatMap(({ fields }) => read(fields.get(`resources_max.${name}`)) ?? []),
      Infinity,
    );
  const most = (name: string, read: Read = wholeIn) =>
    ends.length === 0 ? Infinity : greatest(ends.map((end) => least(end, name, read)));
  const leastNodes = (of: PbsRecord) => wholeIn(of.fields.get('resources_min.nodect')) ?? 0;
  return {
    walltimeSeconds: most('walltime', parsePbsSeconds),
    cpus: most('ncpus'),
    memoryBytes: most('mem', parsePbsBytes),
    gpus: most('ngpus'),
    nodes: most('nodect'),
    leastNodes: Math.max(leastNodes(queue), ends.length === 0 ? 0 : smallest(ends.map(leastNodes))),
  };
}

/** Why a queue takes no job of a user; `byQsub`: it is refused at once, and does not wait. */
interface QueueRefusal {
  readonly words: string;
  readonly byQsub: boolean;
}

/** Why it takes no job of this user that names it; undefined if it takes them. */
export function queueRefusal(queue: PbsRecord, cluster: PbsCluster): QueueRefusal | undefined {
  if (!isTrue(queue, 'from_route_only')) return closed(queue, cluster);
  const by = cluster.queues.filter((each) => destinationsOf(each).includes(queue.id));
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

/**
 * The nodes of a queue that has jobs: those that are bound to it, or have what its chunks ask for by themselves
 * (`default_chunk.Qlist=gpu`), or else all that are bound to none.
 */
function nodesOf(queue: PbsRecord, nodes: readonly PbsRecord[]): readonly PbsRecord[] {
  const bound = nodes.filter(({ fields }) => fields.get('queue') === queue.id);
  if (bound.length > 0) return bound;
  const marks = [...queue.fields].flatMap(([name, value]) => {
    const mark = /^default_chunk\.(.+)$/.exec(name)?.[1];
    if (mark === undefined || wholeIn(value) !== undefined || parsePbsBytes(value) !== undefined) return [];
    const field = `resources_available.${mark}`;
    // What no node has is no property of nodes.
    return nodes.some(({ fields }) => fields.has(field)) ? [[field, value] as const] : [];
  });
  return nodes.filter(
    ({ fields }) =>
      fields.get('queue') === undefined &&
      marks.every(([field, value]) => fields.get(field)?.split(',').includes(value) === true),
  );
}

/** A number as PBS prints it. */
export const wholeIn = (text: string | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) : undefined);
