import { firstLabelOf } from '../../../core/contract/sonar/node-range.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import { amountIn, nodeFactsOf } from '../nodes.ts';
import type { SlurmJobRow } from '../../store/rows/records.ts';
import { storedJson } from '../../store/rows/cells.ts';
import type { TelemetryStore } from '../../store/telemetry-store.ts';
import { type V2Request, countIn, missingParameter, secondsIn } from './request.ts';
import { expanded, isNode, nodeNames, RECENT_SECONDS, recordOf, wantedNodes } from './names.ts';
import { askedPageOf } from './page.ts';
import { addAmounts, amountsOf, type Tres } from './tres.ts';

/** The end of the interval from which an instant is shown: the one that is asked for, or now. */
export const untilOf = (asked: Pick<V2Request, 'parameters' | 'now'>): number =>
  (secondsIn(asked, 'time_in_s') ?? asked.now) + 60;

export async function clustersOf(store: TelemetryStore, asked: Pick<V2Request, 'parameters' | 'now'>) {
  const until = untilOf(asked);
  const answers: object[] = [];
  for (const { name: cluster, newest } of await store.clusters()) {
    if (newest === undefined) continue;
    const record = await recordOf({ store, cluster }, until);
    answers.push({
      time: formatTimestamp(newest),
      cluster,
      slurm: record?.slurm === true ? 1 : 0,
      partitions: (record?.partitions ?? []).map(({ name }) => name),
      nodes: await nodeNames({ store, cluster }, until, record),
    });
  }
  return answers;
}

export const nodesOfCluster = (asked: V2Request): Promise<string[]> => nodeNames(asked, untilOf(asked));

/** A site has fewer. */
const MOST_RUNNING = 100_000;

/** Of nodes that have reported what they are. */
export async function infoOf(asked: V2Request, wanted: string | undefined) {
  const { store, cluster } = asked;
  const until = untilOf(asked);
  if (wanted !== undefined) await wantedNodes(asked, until, wanted);
  const window = { cluster, from: 0, until };
  const partitions = new Map((await nodeFactsOf(store.rows, window)).map(({ node, partitions: of }) => [node, of]));
  const { jobs: running } = await store.rows.selectedJobs(cluster, {
    states: ['RUNNING'],
    submitBefore: until,
    now: asked.now,
    offset: 0,
    limit: MOST_RUNNING,
  });
  const allocated = allocatedBy(running);
  const answer: Record<string, object> = {};
  for (const { node, time, info } of await store.rows.sysinfo(window)) {
    // A node without sysinfo has nothing to show.
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
      alloc_tres: allocated.get(firstLabelOf(node)) ?? { cpu: 0, memory: 0, gpu: 0, node: 0, billing: 0 },
    };
  }
  return answer;
}

export async function infoPage(asked: V2Request) {
  const nodes = Object.values(await infoOf(asked, undefined));
  return askedPageOf(asked, 'nodes', nodes.slice(0, countIn(asked, 'limit', { usual: 100, most: 100_000 })));
}

/** The drawing of `lstopo`. */
export async function topologyOf(asked: V2Request, wanted: string): Promise<string> {
  const { store, cluster, now } = asked;
  const [node = ''] = await wantedNodes(asked, now + 60, wanted);
  const [known] = await store.rows.sysinfo({ cluster, node, from: 0, until: now + 60 });
  let svg: string | undefined;
  if (known?.time !== undefined)
    for await (const { envelope } of store.envelopes({
      cluster,
      node,
      types: ['sysinfo'],
      from: known.time,
      until: known.time + 1,
    }))
      if (envelope.data?.type === 'sysinfo') svg = envelope.data.attributes.topo_svg ?? svg;
  if (svg === undefined) throw missingParameter('TOPOLOGY_UNKNOWN', `node ${node} reported no topology`);
  return Buffer.from(svg, 'base64').toString('utf8');
}

type Members = Readonly<Record<string, unknown>>;
const textIn = (members: Members) => (name: string) => (typeof members[name] === 'string' ? members[name] : '');
const numberIn = (members: Members) => (name: string) => amountIn(members, name);

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

/** What running jobs have on each node, by its label. Slurm has the sum of a job: it is divided evenly between its nodes. */
export function allocatedBy(running: readonly SlurmJobRow[]): ReadonlyMap<string, Tres> {
  const found = new Map<string, Tres>();
  for (const { fields } of running) {
    const values = storedJson(fields) as Readonly<Record<string, readonly unknown[]>>;
    const words = values['sacct.AllocTRES']?.[2] ?? values['allocated_resources']?.[2];
    const nodes = expanded((values['nodes']?.[2] ?? []) as readonly string[]);
    if (typeof words !== 'string' || nodes.length === 0) continue;
    const share = amountsOf(words, nodes.length);
    for (const node of nodes) found.set(firstLabelOf(node), addAmounts(found.get(firstLabelOf(node)), share));
  }
  return found;
}

export async function statesOf(asked: V2Request, wanted: string | undefined) {
  const until = untilOf(asked);
  if (wanted !== undefined) await wantedNodes(asked, until, wanted);
  const record = await recordOf(asked, until);
  const states = new Map<string, string[]>();
  for (const { names, states: own = [] } of record?.nodes ?? [])
    for (const name of expanded(names))
      if (isNode(name, wanted) || (wanted !== undefined && firstLabelOf(wanted) === name))
        states.set(name, [...(states.get(name) ?? []), ...own]);
  return [...states].map(([node, own]) => ({
    time: formatTimestamp(record?.time ?? 0),
    cluster: asked.cluster,
    node,
    states: own,
  }));
}

export async function lastProbes(asked: V2Request) {
  const { store, cluster } = asked;
  const until = untilOf(asked);
  const sampled = new Map(
    (await store.rows.sysinfo({ cluster, from: 0, until })).map((node) => [node.node, node.sampled]),
  );
  const names = await nodeNames(asked, until);
  return Object.fromEntries(
    names.map((name) => {
      const time = sampled.get(name);
      return [name, time === undefined ? null : formatTimestamp(time)];
    }),
  );
}

/** The newest error of each node. */
export async function errorsOf(asked: V2Request, wanted: string | undefined) {
  const { store, cluster } = asked;
  const until = untilOf(asked);
  if (wanted !== undefined) await wantedNodes(asked, until, wanted);
  const answer: Record<string, object> = {};
  const selection = { cluster, types: ['error'], from: until - RECENT_SECONDS, until } as const;
  for await (const { envelope } of store.envelopes(selection))
    for (const { node = '', detail, time } of envelope.errors ?? [])
      if (isNode(node, wanted)) answer[node] = { cluster, node, details: detail, time };
  return answer;
}
