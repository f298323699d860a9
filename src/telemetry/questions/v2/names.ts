import { expandNodeRange, firstLabelOf, rangeProblem } from '../../../core/contract/sonar/node-range.ts';
import { type V2Request, missingParameter } from './request.ts';

/** Records of clusters and errors that are older say nothing of now. */
export const RECENT_SECONDS = 36 * 3600;

export interface ClusterRecord {
  readonly time: number;
  readonly slurm?: boolean;
  readonly partitions?: readonly { readonly name: string; readonly nodes?: readonly string[] }[];
  readonly nodes?: readonly { readonly names: readonly string[]; readonly states?: readonly string[] }[];
}

/** The newest record of a cluster. */
export async function recordOf(
  { store, cluster }: Pick<V2Request, 'store' | 'cluster'>,
  until: number,
): Promise<ClusterRecord | undefined> {
  let found: ClusterRecord | undefined;
  const selection = { cluster, types: ['cluster'], from: until - RECENT_SECONDS, until } as const;
  for await (const { time, envelope } of store.envelopes(selection))
    if (envelope.data !== undefined) found = { ...(envelope.data.attributes as object), time };
  return found;
}

/** The names of ranges; what is no range stands for itself. */
export const expanded = (ranges: readonly string[] = []): string[] =>
  ranges.flatMap((range) => (rangeProblem(range) === undefined ? [...expandNodeRange(range)] : [range]));

/** Nodes and Slurm may name a node differently: its first label is the same. */
export const isNode = (name: string, wanted: string | undefined): boolean =>
  wanted === undefined || name === wanted || firstLabelOf(name) === wanted;

/** Nodes that sent data, and nodes that only Slurm knows. */
export async function nodeNames(
  asked: Pick<V2Request, 'store' | 'cluster'>,
  until: number,
  record?: ClusterRecord,
): Promise<string[]> {
  const { store, cluster } = asked;
  const known = (await store.rows.sysinfo({ cluster, from: 0, until })).map(({ node }) => node);
  const labels = new Set(known.map(firstLabelOf));
  const state = record ?? (await recordOf(asked, until));
  const others = (state?.nodes ?? [])
    .flatMap(({ names }) => expanded(names))
    .filter((name) => !labels.has(firstLabelOf(name)));
  return [...known, ...new Set(others)].toSorted();
}

/** The node that is asked for, or all. Throws: `NODE_UNKNOWN`. */
export async function wantedNodes(asked: V2Request, until: number, wanted: string | undefined): Promise<string[]> {
  const names = await nodeNames(asked, until);
  if (wanted === undefined || wanted === '') return names;
  const found = names.filter((name) => isNode(name, wanted) || name === firstLabelOf(wanted));
  if (found.length > 0) return found;
  throw missingParameter('NODE_UNKNOWN', `cluster ${asked.cluster} has no node ${wanted}`);
}
