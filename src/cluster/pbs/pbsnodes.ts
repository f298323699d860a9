import { type Availability, type QueueDepth } from '../../hpc/live-profile.ts';
import { type HpcPartition, type HpcProfile, partition } from '../../hpc/profile.ts';
import { greatest, smallest } from '../../core/quantity/extremes.ts';
import type { ClusterLoad, ProfileNames } from '../batch/batch-system.ts';
import { HelperFailed } from '../helper-failed.ts';
import { parseDsv, parsePbsBytes, parsePbsSeconds, type PbsRecord } from './dsv.ts';
import { type AskPbs, printed } from './programs.ts';
import type { Qstat } from './qstat.ts';

const AT_MOST_MS = 30_000;
const MEBIBYTE = 2 ** 20;
/** The year of a queue without a limit. */
const UNLIMITED_SECONDS = 365 * 86_400;

async function nodesHere(ask: AskPbs): Promise<PbsRecord[]> {
  const found = parseDsv('node', printed('pbsnodes', await ask('pbsnodes', ['-a', '-F', 'dsv'], AT_MOST_MS)));
  if (found.length === 0) throw new HelperFailed('pbsnodes printed no line of the form that it was asked for');
  return found;
}

/** The profile of the cluster here: its queues that run jobs, with the nodes of each. Throws `HelperFailed`. */
export async function discoverPbsProfile(
  ask: AskPbs,
  qstat: Qstat,
  { name, displayName, skipsStandby = false }: ProfileNames = {},
): Promise<HpcProfile> {
  const [nodes, queues, server] = [await nodesHere(ask), await qstat.queues(), await qstat.server()];
  const called = name ?? server.id;
  return {
    name: called,
    display_name: displayName ?? `${called.charAt(0).toUpperCase()}${called.slice(1)} (PBS)`,
    description: 'Dynamically discovered from PBS',
    detection: [],
    default_account: null,
    partitions: queues
      .filter(({ id, fields }) => takesJobs(fields) && !(skipsStandby && id.endsWith('-stdby')))
      .map((queue) => partitionOf(queue, nodesOf(queue, nodes), server))
      .toSorted((one, other) => one.name.localeCompare(other.name)),
    charge_factor_cpu: 1,
    charge_factor_gpu: 10,
    metadata: {},
  };
}

/** A queue that routes jobs has no nodes of its own. */
const takesJobs = (fields: PbsRecord['fields']): boolean =>
  fields.get('queue_type') === 'Execution' && fields.get('enabled') === 'True' && fields.get('started') === 'True';

/** Nodes that are bound to a queue serve that one alone. */
const nodesOf = ({ id }: PbsRecord, nodes: readonly PbsRecord[]): PbsRecord[] => {
  const bound = nodes.filter(({ fields }) => fields.get('queue') === id);
  return bound.length > 0 ? bound : nodes.filter(({ fields }) => fields.get('queue') === undefined);
};

function partitionOf(queue: PbsRecord, nodes: readonly PbsRecord[], server: PbsRecord): HpcPartition {
  const most = (name: string) =>
    queue.fields.get(`resources_max.${name}`) ?? server.fields.get(`resources_max.${name}`);
  const ofNodes = (name: string, read: (text: string | undefined) => number | undefined) =>
    nodes.flatMap(({ fields }) => read(fields.get(`resources_available.${name}`)) ?? []);
  const gpus = greatest(ofNodes('ngpus', wholeOf), 0);
  const isDefault = server.fields.get('default_queue') === queue.id;
  const limit = wholeOf(most('nodect'));
  return partition({
    name: queue.id,
    cpus_per_node: smallest([...ofNodes('ncpus', wholeOf), wholeOf(most('ncpus')) ?? Infinity]),
    memory_mb: Math.floor(
      smallest([...ofNodes('mem', parsePbsBytes), parsePbsBytes(most('mem')) ?? Infinity]) / MEBIBYTE,
    ),
    max_walltime_secs: parsePbsSeconds(most('walltime')) ?? UNLIMITED_SECONDS,
    gpus_per_node: gpus > 0 ? gpus : null,
    max_nodes: limit ?? null,
    shared: nodes.every(({ fields }) => !/excl/.test(fields.get('sharing') ?? '')),
    ...(isDefault ? { is_default: true } : {}),
    total_nodes: nodes.length,
  });
}

const wholeOf = (text: string | undefined) => (/^\d+$/.test(text ?? '') ? Number(text) : undefined);

/** Nodes and jobs of each queue at this moment. */
export async function pbsLoad(ask: AskPbs, qstat: Qstat): Promise<ClusterLoad> {
  const [nodes, queues] = [await nodesHere(ask), await qstat.queues()];
  return {
    nodes: new Map(queues.map((queue) => [queue.id, availabilityOf(nodesOf(queue, nodes))])),
    queue: new Map(queues.map(({ id, fields }) => [id, depthIn(fields.get('state_count') ?? '')])),
  };
}

function availabilityOf(nodes: readonly PbsRecord[]): Availability {
  const found = { idle: 0, mixed: 0, allocated: 0, down: 0, total: nodes.length };
  for (const { fields } of nodes) {
    const state = fields.get('state') ?? '';
    if (/down|offline|unknown|stale|provision/.test(state)) found.down += 1;
    else if (/job-busy|job-exclusive|resv-exclusive/.test(state)) found.allocated += 1;
    else if (fields.get('jobs')) found.mixed += 1;
    else found.idle += 1;
  }
  return found;
}

/** The numbers in `Transit:0 Queued:3 Held:0 Waiting:0 Running:2 Exiting:0 Begun:0`. */
function depthIn(text: string): QueueDepth {
  const of = (name: string) => Number(new RegExp(`\\b${name}:(\\d+)`).exec(text)?.[1] ?? 0);
  return { pendingJobs: of('Queued') + of('Held') + of('Waiting'), pendingNodes: 0, runningJobs: of('Running') };
}
