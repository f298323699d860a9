import { userInfo } from 'node:os';
import type { Availability, QueueDepth } from '../../hpc/live-profile.ts';
import type { HpcProfile } from '../../hpc/profile.ts';
import type { ClusterLoad, ProfileNames } from '../batch/batch-system.ts';
import { runToEnd } from '../exec.ts';
import { HelperFailed } from '../helper-failed.ts';
import { parseDsv, type PbsRecord } from './dsv.ts';
import { pbsPartitions } from './partitions.ts';
import { type AskPbs, printed } from './programs.ts';
import type { Qstat } from './qstat.ts';
import { nodesBehind, type PbsCluster } from './queues.ts';

const AT_MOST_MS = 30_000;

async function nodesHere(ask: AskPbs): Promise<PbsRecord[]> {
  const found = parseDsv('node', printed('pbsnodes', await ask('pbsnodes', ['-a', '-F', 'dsv'], AT_MOST_MS)));
  if (found.length === 0) throw new HelperFailed('pbsnodes printed no line of the form that it was asked for');
  return found;
}

/** What the cluster says of itself. Throws `HelperFailed`. */
export async function clusterHere(ask: AskPbs, qstat: Qstat): Promise<PbsCluster> {
  const [nodes, queues, server] = [await nodesHere(ask), await qstat.queues(), await qstat.server()];
  const isAsked = queues.some(({ fields }) => fields.get('acl_group_enable') === 'True');
  const user = { name: userInfo().username, group: isAsked ? await ownGroup() : undefined };
  return { nodes, queues, server, user };
}

/** The profile of the cluster here: its queues, with the nodes of each. Throws `HelperFailed`. */
export async function discoverPbsProfile(
  ask: AskPbs,
  qstat: Qstat,
  { name, displayName, skipsStandby = false }: ProfileNames = {},
): Promise<HpcProfile> {
  const cluster = await clusterHere(ask, qstat);
  const called = name ?? cluster.server.id;
  return {
    name: called,
    display_name: displayName ?? `${called.charAt(0).toUpperCase()}${called.slice(1)} (PBS)`,
    description: 'Dynamically discovered from PBS',
    detection: [],
    default_account: null,
    partitions: pbsPartitions(cluster).filter((each) => !(skipsStandby && each.name.endsWith('-stdby'))),
    charge_factor_cpu: 1,
    charge_factor_gpu: 10,
    metadata: {},
    system: 'pbs',
  };
}

/** The group by which lists of groups go; undefined if it cannot be asked. */
const ownGroup = (): Promise<string | undefined> =>
  runToEnd('id', ['-gn'], { atMostMs: AT_MOST_MS, environment: process.env }).then(
    ({ code, stdout }) => (code === 0 ? stdout.trim() : undefined),
    () => undefined,
  );

/** Nodes and jobs of each queue at this moment. */
export async function pbsLoad(ask: AskPbs, qstat: Qstat): Promise<ClusterLoad> {
  const cluster = await clusterHere(ask, qstat);
  return {
    nodes: new Map(cluster.queues.map((queue) => [queue.id, availabilityOf(nodesBehind(queue, cluster))])),
    queue: new Map(cluster.queues.map(({ id, fields }) => [id, depthIn(fields.get('state_count') ?? '')])),
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
