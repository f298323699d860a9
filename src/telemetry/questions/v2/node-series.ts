import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { amountIn } from '../nodes.ts';
import type { JobKey, Portions, AskedWindow } from '../../store/rows/rows.ts';
import { type V2Request, intervalOf, Points, secondsIn } from './request.ts';
import { isNode, wantedNodes } from './names.ts';
import { cardSeries, DISK_FIELDS, diskSeries, processCardPoint, processCardSeries, processSeries } from './series.ts';

/** Memory of nodes in KB, by their names. */
export async function memoryOfNodes(
  { store }: Pick<V2Request, 'store'>,
  window: AskedWindow,
): Promise<ReadonlyMap<string, Uint>> {
  const nodes = await store.rows.sysinfo({ cluster: window.cluster, from: 0, until: window.until });
  return new Map(nodes.map(({ node, info }) => [node, amountIn(info, 'memory')]));
}

/** A value for each key, made when it is first asked for. */
export function lazily<Value>(make: (key: string) => Value) {
  const values = new Map<string, Value>();
  return {
    at(key: string): Value {
      let value = values.get(key);
      if (value === undefined) values.set(key, (value = make(key)));
      return value;
    },
    entries: () => [...values],
  };
}

export async function eachOf<Row>(portions: Portions<Row>, use: (row: Row) => void): Promise<void> {
  for await (const rows of portions) for (const row of rows) use(row);
}

/** Every node that is asked for, also one without data: its series is empty. */
const byNode = <Value>(names: readonly string[], series: readonly (readonly [string, Value])[], empty: Value) => {
  const found = new Map(series);
  return Object.fromEntries(names.map((name) => [name, found.get(name) ?? empty]));
};

async function start(asked: V2Request, wanted: string | undefined) {
  const { window, resolutionSeconds } = intervalOf(asked);
  const names = await wantedNodes(asked, window.until, wanted);
  const node = wanted === undefined || wanted === '' ? undefined : (names[0] ?? wanted);
  return { window: { ...window, node }, names, resolution: resolutionSeconds, points: new Points() };
}

/** CPU and memory of the processes of nodes. */
export async function processesOfNodes(asked: V2Request, wanted: string | undefined) {
  const { window, names, resolution, points } = await start(asked, wanted);
  const memory = await memoryOfNodes(asked, window);
  const series = lazily((node) => processSeries(resolution, points, memory.get(node) ?? 0));
  await eachOf(asked.store.rows.sampleSums(window, 'node'), (sum) => series.at(sum.node).add(sum.time, sum));
  return byNode(
    names,
    series.entries().map(([node, each]) => [node, each.end()]),
    [],
  );
}

export async function cardsOfNodes(asked: V2Request, wanted: string | undefined) {
  const { window, names, resolution, points } = await start(asked, wanted);
  const nodes = lazily(() => lazily(() => ({ index: 0 as Uint, series: cardSeries(resolution, points) })));
  await eachOf(asked.store.rows.cardSamples(window), (state) => {
    const card = nodes.at(state.node).at(state.uuid);
    card.index = state.index;
    card.series.add(state.time, state);
  });
  const answers = nodes
    .entries()
    .map(([node, cards]): [string, object[]] => [
      node,
      cards.entries().map(([uuid, { index, series }]) => ({ uuid, index, data: series.end() })),
    ]);
  return byNode(names, answers, []);
}

export async function disksOfNodes(asked: V2Request, wanted: string | undefined) {
  const { window, names, resolution, points } = await start(asked, wanted);
  const nodes = lazily(() =>
    lazily(() => ({ major: 0 as Uint, minor: 0 as Uint, series: diskSeries(resolution, points) })),
  );
  await eachOf(asked.store.rows.diskSamples(window), (sample) => {
    const disk = nodes.at(sample.node).at(sample.disk);
    disk.major = sample.major;
    disk.minor = sample.minor;
    disk.series.add(sample.time, sample);
  });
  const answers = nodes.entries().map(([node, disks]): [string, object[]] => [
    node,
    disks.entries().map(([name, { major, minor, series }]) => ({
      name,
      major,
      minor,
      field_names: DISK_FIELDS,
      data: series.end(),
    })),
  ]);
  return byNode(names, answers, []);
}

/** What processes use of the cards of nodes, by card and job. Other users' jobs are left out. */
export async function processCardsOfNodes(asked: V2Request, wanted: string | undefined, key: JobKey | undefined) {
  const { window, names, resolution, points } = await start(asked, wanted);
  const nodes = lazily(() =>
    lazily(() =>
      lazily(() => ({ series: processCardSeries(resolution, points), job: 0 as unknown, epoch: 0 as unknown })),
    ),
  );
  await eachOf(asked.store.rows.processCards(window, key), (use) => {
    const found = nodes.at(use.node).at(use.uuid).at(`${use.job} ${use.epoch}`);
    found.job = use.job;
    found.epoch = use.epoch;
    found.series.add(use.time, use);
  });
  const answers = nodes.entries().map(([node, cards]): [string, object] => [
    node,
    {
      gpus: Object.fromEntries(
        cards
          .entries()
          .map(([uuid, jobs]) => [
            uuid,
            jobs.entries().map(([, { job, epoch, series }]) => ({ job, epoch, data: series.end() })),
          ]),
      ),
    },
  ]);
  return byNode<object>(names, answers, { gpus: {} });
}

const USUAL_WINDOW_SECONDS = 300;

/** What processes used of each card of nodes lately. */
export async function latestCardUse(asked: V2Request, wanted: string | undefined) {
  const end = secondsIn(asked, 'reference_time_in_s') ?? asked.now;
  const from = Math.max(0, end - (secondsIn(asked, 'window_in_s') ?? USUAL_WINDOW_SECONDS));
  const { store, cluster, onlyUser } = asked;
  const names = await wantedNodes(asked, end + 1, wanted);
  const window = { cluster, from, until: end + 1, user: onlyUser };
  const nodes = lazily(() => lazily((): Parameters<typeof processCardPoint>[0][number][] => []));
  await eachOf(store.rows.processCards(window), (use) => {
    if (names.some((name) => isNode(use.node, name))) nodes.at(use.node).at(use.uuid).push(use);
  });
  const answers = nodes
    .entries()
    .map(([node, cards]): [string, object] => [
      node,
      Object.fromEntries(
        cards.entries().map(([uuid, uses]) => [uuid, processCardPoint(uses, uses.at(-1)?.time ?? end)]),
      ),
    ]);
  return byNode<object>(names, answers, {});
}
