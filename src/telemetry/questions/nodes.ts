import { minus, times } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { performanceState } from '../../core/contract/sonar/conventions.ts';
import { firstLabelOf, nodesIn } from '../../core/contract/sonar/node-range.ts';
import type { TelemetryCard, TelemetryNode } from '../../core/contract/telemetry.ts';
import type { AnswerOf } from '../answers.ts';
import { compareText } from '../store/rows/samples.ts';
import type { TelemetryRows, AskedWindow } from '../store/rows/rows.ts';

export type NodeFacts = AnswerOf<typeof TelemetryNode, 'cores' | 'memoryKb'>;

/**
 * What nodes are, by cluster and name. Names of Slurm and of the nodes themselves are compared by their first labels. A node that
 * Slurm names and that never reported is one too: an administrator looks for these.
 */
export async function nodeFactsOf(source: TelemetryRows, window: AskedWindow): Promise<NodeFacts[]> {
  const reported = Map.groupBy(await source.sysinfo(window), ({ cluster }) => cluster);
  const isAsked = (node: string) => window.node === undefined || [node, firstLabelOf(node)].includes(window.node);
  const found: NodeFacts[] = [];
  for (const cluster of await source.clusterNames(window.cluster)) {
    const slurm = slurmFacts(await source.clusterState(cluster, window.until));
    const own = reported.get(cluster) ?? [];
    const seen = new Set(own.map(({ node }) => firstLabelOf(node)));
    const slurmOf = (node: string) => ({
      states: slurm.states.get(firstLabelOf(node)) ?? [],
      partitions: slurm.partitions.get(firstLabelOf(node)) ?? [],
    });
    for (const { node, info, sampled } of own) {
      found.push({
        cluster,
        node,
        cores: coresOf(info),
        memoryKb: amountIn(info, 'memory'),
        cards: ((info['cards'] ?? []) as readonly unknown[]).length,
        model: String((info['cpu_model'] as string | undefined) ?? ''),
        system: [info['os_name'], info['os_release']].filter((each) => typeof each === 'string').join(' '),
        ...slurmOf(node),
        sampled,
      });
    }
    for (const node of slurm.names.values())
      if (!seen.has(firstLabelOf(node)) && isAsked(node))
        found.push({ ...neverReported, cluster, node, ...slurmOf(node) });
  }
  return found.toSorted((one, other) => compareText(one.cluster, other.cluster) || compareText(one.node, other.node));
}

/** A member of what a node says of itself; 0 where it does not say it. */
export const amountIn = (members: Readonly<Record<string, unknown>>, name: string): Uint =>
  (members[name] as Uint | undefined) ?? 0;

export const coresOf = (info: Readonly<Record<string, unknown>>): Uint =>
  ['sockets', 'cores_per_socket', 'threads_per_core'].reduce(
    (cores: Uint, name) => times(cores, amountIn(info, name)),
    1,
  );

const neverReported = { cores: 0, memoryKb: 0, cards: 0, model: '', system: '', sampled: undefined };

interface Ranges {
  readonly name?: string;
  readonly names?: readonly string[];
  readonly nodes?: readonly string[];
  readonly states?: readonly string[];
}

function slurmFacts(state: Readonly<Record<string, unknown>>) {
  const states = new Map<string, string[]>();
  /** By their first labels. */
  const names = new Map<string, string>();
  const partitions = new Map<string, string[]>();
  const add = (map: Map<string, string[]>, nodes: readonly string[], values: readonly string[] = []) => {
    for (const node of nodes) map.set(firstLabelOf(node), [...(map.get(firstLabelOf(node)) ?? []), ...values]);
  };
  for (const { names: ranges = [], states: own } of (state['nodes'] ?? []) as readonly Ranges[]) {
    const nodes = nodesIn(ranges);
    add(states, nodes, own);
    for (const node of nodes) names.set(firstLabelOf(node), node);
  }
  for (const { name = '', nodes: ranges = [] } of (state['partitions'] ?? []) as readonly Ranges[])
    add(partitions, nodesIn(ranges), [name]);
  return { states, partitions, names };
}

export type CardFacts = AnswerOf<
  typeof TelemetryCard,
  'index' | 'memoryKb' | 'usedMemoryKb' | 'utilPercent' | 'temperature' | 'powerWatts' | 'failing'
>;

/** What cards are, and their newest state within the window. Cards are known by their uuids: an index may change at boot. */
export async function cardsOf(source: TelemetryRows, window: AskedWindow): Promise<CardFacts[]> {
  const cards = new Map<string, CardFacts>();
  for (const { cluster, node, info } of await source.sysinfo(window))
    for (const card of (info['cards'] ?? []) as readonly Readonly<Record<string, unknown>>[]) {
      const uuid = typeof card['uuid'] === 'string' ? card['uuid'] : '';
      cards.set(`${cluster} ${node} ${uuid}`, {
        cluster,
        node,
        index: amountIn(card, 'index'),
        uuid,
        model: typeof card['model'] === 'string' ? card['model'] : '',
        memoryKb: amountIn(card, 'memory'),
        ...noState,
      });
    }
  for (const state of await source.cardStates(window)) {
    const { cluster, node, uuid, meta, performance } = state;
    const key = `${cluster} ${node} ${uuid}`;
    cards.set(key, {
      ...(cards.get(key) ?? { cluster, node, uuid, model: '', memoryKb: 0 }),
      index: state.index,
      usedMemoryKb: state.memoryKb,
      utilPercent: state.utilPercent,
      temperature: state.temperature,
      powerWatts: state.powerWatts,
      performanceState: performanceState(meta, performance),
      failing: state.failing,
      time: state.time,
    });
  }
  return [...cards.values()].toSorted((one, other) =>
    one.node < other.node ? -1 : one.node > other.node ? 1 : Number(minus(one.index, other.index)),
  );
}

const noState = {
  usedMemoryKb: 0,
  utilPercent: 0,
  temperature: 0,
  powerWatts: 0,
  performanceState: undefined,
  failing: 0,
  time: undefined,
};
