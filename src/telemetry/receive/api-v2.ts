import { expandNodeRange, rangeProblem } from '../../core/contract/sonar/node-range.ts';
import { formatTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { nodesOf } from '../questions/nodes.ts';
import type { SlurmJobRow } from '../questions/rows.ts';
import type { TelemetryStore } from '../store/telemetry-store.ts';
import { addAmounts, amountsOf, type Tres } from './tres.ts';

/**
 * Routes of `/api/v2`, with the paths and answers of slurm-monitor's: those that tell of clusters and nodes. What they tell is no
 * user's own, so whoever may log in may ask.
 */
export async function apiV2(
  store: TelemetryStore,
  path: string,
  parameters: Readonly<Record<string, string>>,
  now: number,
): Promise<unknown> {
  const at = parameters['time_in_s'];
  const until = (at !== undefined && /^\d{1,12}$/.test(at) ? Number(at) : now) + 60;
  const [root, cluster, ...rest] = path.split('/').map(decoded);
  if (root !== 'cluster') return undefined;
  if (cluster === undefined) return clustersAt(store, until);
  if (!(await store.rows.clusterNames(cluster)).includes(cluster)) return undefined;
  const asked: Asked = { store, cluster, until };
  switch (rest.join('/').replace(/^nodes\/(?!info$|states$|last_probe_timestamp$)[^/]+\//, 'nodes/NODE/')) {
    case 'nodes':
      return nodeNames(asked);
    case 'nodes/info':
      return infoOf(asked, parameters['nodename']);
    case 'nodes/NODE/info':
      return infoOf(asked, rest[1]);
    case 'nodes/states':
      return statesOf(asked, parameters['nodename']);
    case 'nodes/NODE/states':
      return statesOf(asked, rest[1]);
    case 'nodes/last_probe_timestamp':
      return lastProbes(asked);
    case 'error_messages':
      return errorsOf(asked, parameters['nodename']);
    case 'nodes/NODE/error_messages':
      return errorsOf(asked, rest[1]);
    default:
      return undefined;
  }
}

/** A part of a path; one that is encoded wrongly is the name of nothing. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}

interface Asked {
  readonly store: TelemetryStore;
  readonly cluster: string;
  readonly until: number;
}

/** Records of clusters and errors that are older say nothing of now. */
const RECENT_SECONDS = 36 * 3600;

interface ClusterRecord {
  readonly time: number;
  readonly slurm?: boolean;
  readonly partitions?: readonly { readonly name: string }[];
  readonly nodes?: readonly { readonly names: readonly string[]; readonly states?: readonly string[] }[];
}

/** The newest record of a cluster. */
async function recordOf({ store, cluster, until }: Asked): Promise<ClusterRecord | undefined> {
  let found: ClusterRecord | undefined;
  const selection = { cluster, types: ['cluster'], from: until - RECENT_SECONDS, until } as const;
  for await (const { time, envelope } of store.envelopes(selection))
    if (envelope.data !== undefined) found = { ...(envelope.data.attributes as object), time };
  return found;
}

const expanded = (ranges: readonly string[] = []): string[] =>
  ranges.flatMap((range) => (rangeProblem(range) === undefined ? [...expandNodeRange(range)] : [range]));
const labelOf = (node: string): string => node.split('.', 1)[0] ?? node;
const isNode = (name: string, wanted: string | undefined): boolean =>
  wanted === undefined || name === wanted || labelOf(name) === wanted;

/** Nodes that sent data, and nodes that only Slurm knows. */
async function nodeNames(asked: Asked, record?: ClusterRecord): Promise<string[]> {
  const { store, cluster, until } = asked;
  const known = (await store.rows.sysinfo({ cluster, from: 0, until })).map(({ node }) => node);
  const labels = new Set(known.map(labelOf));
  const state = record ?? (await recordOf(asked));
  const others = (state?.nodes ?? [])
    .flatMap(({ names }) => expanded(names))
    .filter((name) => !labels.has(labelOf(name)));
  return [...known, ...new Set(others)].toSorted();
}

async function clustersAt(store: TelemetryStore, until: number) {
  const answers: object[] = [];
  for (const { name: cluster, newest } of await store.clusters()) {
    if (newest === undefined) continue;
    const asked = { store, cluster, until };
    const record = await recordOf(asked);
    answers.push({
      time: formatTimestamp(newest),
      cluster,
      slurm: record?.slurm === true ? 1 : 0,
      partitions: (record?.partitions ?? []).map(({ name }) => name),
      nodes: await nodeNames(asked, record),
    });
  }
  return answers;
}

async function infoOf({ store, cluster, until }: Asked, wanted: string | undefined) {
  const window = { cluster, from: 0, until };
  const partitions = new Map((await nodesOf(store.rows, window)).map(({ node, partitions: of }) => [node, of]));
  const running = (await store.rows.slurmJobs(window)).filter(({ state }) => state === 'RUNNING');
  const allocated = allocatedBy(running);
  const answer: Record<string, object> = {};
  for (const { node, time, info } of await store.rows.sysinfo(window)) {
    // A node without sysinfo has nothing to tell.
    if (time === undefined || !isNode(node, wanted)) continue;
    const [text, number] = [textIn(info), numberIn(info)];
    answer[node] = {
      time: formatTimestamp(time),
      cluster,
      node,
      os_name: text('os_name'),
      os_release: text('os_release'),
      architecture: text('architecture'),
      sockets: number('sockets'),
      cores_per_socket: number('cores_per_socket'),
      threads_per_core: number('threads_per_core'),
      cpu_model: text('cpu_model'),
      memory: number('memory'),
      // Of a node several hundred KB: an answer for all nodes would be too large.
      topo_svg: null,
      topo_text: null,
      cards: ((info['cards'] ?? []) as readonly Members[]).map((card) => cardOf(card, time, cluster, node)),
      partitions: partitions.get(node) ?? [],
      alloc_tres: allocated.get(labelOf(node)) ?? { cpu: 0, memory: 0, gpu: 0, node: 0, billing: 0 },
    };
  }
  return wanted !== undefined && Object.keys(answer).length === 0 ? undefined : answer;
}

type Members = Readonly<Record<string, unknown>>;
const textIn = (members: Members) => (name: string) => (typeof members[name] === 'string' ? members[name] : '');
const numberIn = (members: Members) => (name: string) => Number(members[name] ?? 0);

function cardOf(card: Members, time: number, cluster: string, node: string): object {
  const [text, number] = [textIn(card), numberIn(card)];
  return {
    time: formatTimestamp(time),
    uuid: text('uuid'),
    manufacturer: text('manufacturer'),
    model: text('model'),
    architecture: text('architecture'),
    memory: number('memory'),
    cluster,
    node,
    index: number('index'),
    address: text('address'),
    driver: text('driver'),
    firmware: text('firmware'),
    max_power_limit: number('max_power_limit'),
    min_power_limit: number('min_power_limit'),
    max_ce_clock: number('max_ce_clock'),
    max_memory_clock: number('max_memory_clock'),
  };
}

/** What running jobs have on each node, by its label. Slurm tells the sum of a job: it is taken as even over its nodes. */
function allocatedBy(running: readonly SlurmJobRow[]): ReadonlyMap<string, Tres> {
  const found = new Map<string, Tres>();
  for (const { fields } of running) {
    const values = JSON.parse(fields) as Readonly<Record<string, readonly unknown[]>>;
    const words = values['sacct.AllocTRES']?.[2] ?? values['allocated_resources']?.[2];
    const nodes = expanded((values['nodes']?.[2] ?? []) as readonly string[]);
    if (typeof words !== 'string' || nodes.length === 0) continue;
    const share = amountsOf(words, nodes.length);
    for (const node of nodes) found.set(labelOf(node), addAmounts(found.get(labelOf(node)), share));
  }
  return found;
}

async function statesOf(asked: Asked, wanted: string | undefined) {
  const record = await recordOf(asked);
  const states = new Map<string, string[]>();
  for (const { names, states: own = [] } of record?.nodes ?? [])
    for (const name of expanded(names))
      if (isNode(name, wanted) || (wanted !== undefined && labelOf(wanted) === name))
        states.set(name, [...(states.get(name) ?? []), ...own]);
  return [...states].map(([node, own]) => ({
    time: formatTimestamp(record?.time ?? 0),
    cluster: asked.cluster,
    node,
    states: own,
  }));
}

async function lastProbes(asked: Asked) {
  const { store, cluster, until } = asked;
  const sampled = new Map(
    (await store.rows.sysinfo({ cluster, from: 0, until })).map((node) => [node.node, node.sampled]),
  );
  const names = await nodeNames(asked);
  return Object.fromEntries(
    names.map((name) => {
      const time = sampled.get(name);
      return [name, time === undefined ? null : formatTimestamp(time)];
    }),
  );
}

/** The newest error of each node. */
async function errorsOf({ store, cluster, until }: Asked, wanted: string | undefined) {
  const answer: Record<string, object> = {};
  const selection = { cluster, types: ['error'], from: until - RECENT_SECONDS, until } as const;
  for await (const { envelope } of store.envelopes(selection))
    for (const { node = '', detail, time } of envelope.errors ?? [])
      if (isNode(node, wanted)) answer[node] = { cluster, node, details: detail, time };
  return answer;
}
