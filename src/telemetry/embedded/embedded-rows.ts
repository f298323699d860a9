import { minus } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import {
  byNodeAndTime,
  type CardSample,
  type ClosedJobHours,
  type DiskSample,
  type JobFilter,
  type JobHour,
  type JobKey,
  type JobSample,
  type Link,
  type NodeHour,
  type NodeInfo,
  type NodeSample,
  type Portions,
  type ProcessCard,
  type ProcessRow,
  type SampleSum,
  type SampleTime,
  type SelectedJobs,
  type SlurmJobRow,
  type SumsBy,
  type TelemetryRows,
  type Window,
} from '../questions/rows.ts';
import type { ArchiveRows } from '../parquet/archive-rows.ts';
import type { ClosedDay } from '../parquet/catalog.ts';
import type { HourTableName } from '../parquet/tables.ts';
import type { StoreDatabase } from '../sqlite/database.ts';
import { ArchiveSeries } from '../parquet/archive-series.ts';
import { type Chosen, HotSeries } from '../sqlite/hot-series.ts';
import type { Ordered } from '../store/answer-of-row.ts';
import { type Cluster, HotRows, type PartOfWindow, type ProducerCount } from '../sqlite/hot-rows.ts';
import { merged } from '../sqlite/portions.ts';

/**
 * The rows of the embedded store: those of its file and those of its closed days, as one.
 *
 * Each answer reads one state of the file, so a day that is closed meanwhile is read either here or there.
 */
export class EmbeddedRows implements TelemetryRows {
  readonly #db: StoreDatabase;
  readonly #hot: HotRows;
  readonly #archive: ArchiveRows;
  readonly #hotSeries: HotSeries;
  readonly #archiveSeries: ArchiveSeries;

  constructor(db: StoreDatabase, archive: ArchiveRows) {
    this.#db = db;
    this.#hot = new HotRows(db);
    this.#archive = archive;
    this.#hotSeries = new HotSeries(db);
    this.#archiveSeries = new ArchiveSeries(archive);
  }

  clusters(name: string | undefined): readonly Cluster[] {
    return this.#hot.clusters(name);
  }

  async clusterNames(name: string | undefined): Promise<string[]> {
    return this.#hot.clusters(name).map((each) => each.name);
  }

  /** The hot rows of each cluster of a window, joined by those of its closed days. */
  #each<Row>(
    window: Window,
    isBefore: (one: Row, other: Row) => boolean,
    hot: (cluster: Cluster) => AsyncIterable<readonly Row[]>,
    archived: (cluster: Cluster, days: readonly ClosedDay[]) => AsyncIterable<readonly Row[]>,
  ): AsyncGenerator<readonly Row[]> {
    return this.#db.snapshot(
      async function* (this: EmbeddedRows) {
        for (const cluster of this.#hot.clusters(window.cluster)) {
          const days = this.#archive.days(cluster.id, window);
          if (days.length === 0) yield* hot(cluster);
          else yield* merged([hot(cluster), archived(cluster, days)], isBefore);
        }
      }.bind(this),
    );
  }

  /** Which producer counts on each node of a cluster, where two send samples of one; found once for a question. */
  #choice(window: Window, key: JobKey | undefined): (cluster: Cluster) => Promise<Chosen> {
    const hot = this.#hot;
    const archive = this.#archive;
    const choices = new Map<number, Promise<ReadonlyMap<string, string> | undefined>>();
    const count = async (cluster: Cluster) => {
      const days = archive.days(cluster.id, window);
      const archived = days.length === 0 ? [] : await archive.producers(days, window, key);
      return chosenProducers([...hot.producers(cluster, window, key), ...archived]);
    };
    return (cluster) => {
      const choice = choices.get(cluster.id) ?? count(cluster);
      choices.set(cluster.id, choice);
      return choice;
    };
  }

  processes(window: PartOfWindow, key?: JobKey): Portions<ProcessRow> {
    const hot = this.#hot;
    const archive = this.#archive;
    const choose = this.#choice(window, key);
    return this.#each(
      window,
      isEarlier,
      async function* (cluster) {
        yield* hot.processes(cluster, window, key, await choose(cluster));
      },
      async function* (cluster, days) {
        yield* archive.processes(cluster.name, days, window, key, await choose(cluster));
      },
    );
  }

  sampleSums(window: Window, by: SumsBy, key?: JobKey): Portions<SampleSum> {
    const [hot, archived] = [this.#hotSeries, this.#archiveSeries];
    const choose = this.#choice(window, key);
    return this.#each<Ordered<SampleSum>>(
      window,
      isEarlier,
      async function* (cluster) {
        yield* hot.sums(cluster, window, { by, key, chosen: await choose(cluster) });
      },
      async function* (cluster, days) {
        yield* archived.sums(cluster.name, days, window, { by, key, chosen: await choose(cluster) });
      },
    );
  }

  jobSamples(window: Window, key: JobKey): Portions<JobSample> {
    const [hot, archived] = [this.#hotSeries, this.#archiveSeries];
    const choose = this.#choice(window, key);
    return this.#each<Ordered<JobSample>>(
      window,
      isEarlier,
      async function* (cluster) {
        yield* hot.jobSamples(cluster, window, { key, chosen: await choose(cluster) });
      },
      async function* (cluster, days) {
        yield* archived.jobSamples(cluster.name, days, window, { key, chosen: await choose(cluster) });
      },
    );
  }

  processCards(window: Window, key?: JobKey): Portions<ProcessCard> {
    const [hot, archived] = [this.#hotSeries, this.#archiveSeries];
    const choose = this.#choice(window, key);
    return this.#each<Ordered<ProcessCard>>(
      window,
      isEarlier,
      async function* (cluster) {
        yield* hot.cards(cluster, window, { key, chosen: await choose(cluster) });
      },
      async function* (cluster, days) {
        yield* archived.cards(cluster.name, days, window, { key, chosen: await choose(cluster) });
      },
    );
  }

  async selectedJobs(cluster: string, filter: JobFilter): Promise<SelectedJobs> {
    const [found] = this.#hot.clusters(cluster);
    return found === undefined ? { total: 0, jobs: [] } : this.#hotSeries.selectedJobs(found, filter);
  }

  firstSamples(window: Window): Promise<ReadonlyMap<string, number>> {
    return this.#db.inSnapshot(async () => {
      const found = new Map<string, number>();
      for (const cluster of this.#hot.clusters(window.cluster)) {
        const days = this.#archive.days(cluster.id, window);
        const archived = days.length === 0 ? [] : await this.#archive.firstSamples(days, window);
        for (const [node, time] of [...this.#hot.firstSamples(cluster, window), ...archived]) {
          const key = `${cluster.name} ${node}`;
          found.set(key, Math.min(time, found.get(key) ?? time));
        }
      }
      return found;
    });
  }

  sampleTimes(window: PartOfWindow): Promise<readonly SampleTime[]> {
    return this.#db.inSnapshot(async () => {
      const found: SampleTime[] = [];
      for (const cluster of this.#hot.clusters(window.cluster)) {
        const days = this.#archive.days(cluster.id, window);
        const archived = days.length === 0 ? [] : await this.#archive.sampleTimes(cluster.name, days, window);
        const all = [...this.#hot.sampleTimes(cluster, window), ...archived];
        for (const each of all.toSorted(byNodeAndTime)) found.push(each);
      }
      return found;
    });
  }

  nodeSamples(window: PartOfWindow): Portions<NodeSample> {
    return this.#each<Ordered<NodeSample>>(
      window,
      isEarlierOnNode,
      (cluster) => this.#hot.nodeSamples(cluster, window),
      (cluster, days) => this.#archive.nodeSamples(cluster.name, days, window),
    );
  }

  cardSamples(window: Window): Portions<CardSample> {
    return this.#each<Ordered<CardSample>>(
      window,
      isEarlierOnNode,
      (cluster) => this.#hot.cards(cluster, window, false),
      (cluster, days) => this.#archive.cards(cluster.name, days, window, false),
    );
  }

  diskSamples(window: Window): Portions<DiskSample> {
    return this.#each<Ordered<DiskSample>>(
      window,
      isEarlierOnNode,
      (cluster) => this.#hot.disks(cluster, window),
      (cluster, days) => this.#archive.disks(cluster.name, days, window),
    );
  }

  async cardStates(window: Window): Promise<readonly CardSample[]> {
    const newest = new Map<string, Ordered<CardSample>>();
    const portions = this.#each<Ordered<CardSample>>(
      window,
      isEarlierOnNode,
      (cluster) => this.#hot.cards(cluster, window, true),
      (cluster, days) => this.#archive.cards(cluster.name, days, window, true),
    );
    for await (const cards of portions)
      for (const card of cards) {
        const key = `${card.cluster} ${card.node} ${card.uuid}`;
        const held = newest.get(key);
        if (held === undefined || held.time <= card.time) newest.set(key, card);
      }
    return [...newest.values()].toSorted(
      (one, other) =>
        compareText(one.cluster, other.cluster) ||
        compareText(one.node, other.node) ||
        Number(minus(one.index, other.index)),
    );
  }

  sysinfo(window: Window): Promise<readonly NodeInfo[]> {
    return this.#db.inSnapshot(async () => {
      const found: NodeInfo[] = [];
      for (const cluster of this.#hot.clusters(window.cluster)) {
        const nodes = this.#hot.sysinfo(cluster, window);
        // Only who asks for the past needs the files.
        const isPast = nodes.some(({ newestArchived = 0 }) => newestArchived >= window.until);
        const days = isPast ? this.#archive.days(cluster.id, { from: 0, until: window.until }) : [];
        const past = new Map(days.length === 0 ? [] : await this.#archive.newestSamples(days, window.until));
        for (const { newestArchived = 0, ...node } of nodes) {
          const archived = newestArchived < window.until ? newestArchived : (past.get(node.node) ?? 0);
          const sampled = Math.max(node.sampled ?? 0, archived);
          found.push({ ...node, sampled: sampled === 0 ? undefined : sampled });
        }
      }
      return found;
    });
  }

  async clusterState(cluster: string, until: number): Promise<Readonly<Record<string, unknown>>> {
    return this.#hot.clusterState(cluster, until);
  }

  async slurmJobs(window: Window): Promise<readonly SlurmJobRow[]> {
    return this.#hot.slurmJobs(window);
  }

  async slurmJob(cluster: string | undefined, job: Uint): Promise<readonly SlurmJobRow[]> {
    return this.#hot.slurmJob(cluster, job);
  }

  async links(cluster: string | undefined, key: JobKey): Promise<readonly Link[]> {
    return this.#hot.links(cluster, key);
  }

  async jobHours(window: Window, key?: JobKey): Promise<readonly JobHour[]> {
    return (await this.#hours('job_hour', window, key)) as unknown as readonly JobHour[];
  }

  closedJobHours(window: Window, key: JobKey): Promise<ClosedJobHours> {
    return this.#db.inSnapshot(async () => {
      const hours: JobHour[] = [];
      const found: number[] = [];
      for (const cluster of this.#hot.clusters(window.cluster)) {
        const whole = this.#archive.wholeDays(cluster.id, window);
        const isWhole = new Set(whole.map(({ day }) => day));
        const lost = this.#archive.daysOfLostHours(cluster.id, window).filter(({ day }) => !isWhole.has(day));
        const [ofLost, ofWhole] = [
          lost.length === 0 ? [] : await this.#archive.hours('job_hour', lost, window, key),
          whole.length === 0 ? [] : await this.#archive.hoursOfWhole(whole, window, key),
        ];
        for (const hour of [...ofLost, ...ofWhole]) hours.push(hour as unknown as JobHour);
        for (const { day } of whole) found.push(day);
      }
      return { hours, days: found };
    });
  }

  async nodeHours(window: Window): Promise<readonly NodeHour[]> {
    return (await this.#hours('node_hour', window)) as unknown as readonly NodeHour[];
  }

  #hours(table: HourTableName, window: Window, key?: JobKey) {
    return this.#db.inSnapshot(async () => {
      const found = [];
      for (const cluster of this.#hot.clusters(window.cluster)) {
        const days = this.#archive.daysOfLostHours(cluster.id, window);
        if (days.length > 0) for (const row of await this.#archive.hours(table, days, window, key)) found.push(row);
      }
      return found;
    });
  }
}

/**
 * Where two producers send samples of one node, such as the daemon of a site and a runner, every process would count twice. One
 * of them is chosen for each node: the one that samples the whole node, then the one with more samples. Undefined where no
 * node has two.
 */
function chosenProducers(counts: readonly ProducerCount[]): ReadonlyMap<string, string> | undefined {
  const nodes = new Map<string, Map<string, ProducerCount>>();
  for (const each of counts) {
    const producers = nodes.get(each.node) ?? new Map<string, ProducerCount>();
    const held = producers.get(each.producer);
    producers.set(each.producer, {
      ...each,
      hasJobsOnly: each.hasJobsOnly || held?.hasJobsOnly === true,
      count: each.count + (held?.count ?? 0),
    });
    nodes.set(each.node, producers);
  }
  if ([...nodes.values()].every(({ size }) => size === 1)) return undefined;
  return new Map(
    [...nodes].map(([node, producers]) => {
      const [best] = [...producers.values()].toSorted(
        (one, other) =>
          Number(one.hasJobsOnly) - Number(other.hasJobsOnly) ||
          other.count - one.count ||
          compareText(one.producer, other.producer),
      );
      return [node, best?.producer ?? ''];
    }),
  );
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

function isEarlier(one: Ordered<{ readonly time: number }>, other: Ordered<{ readonly time: number }>): boolean {
  if (one.time !== other.time) return one.time < other.time;
  return one.envelope < other.envelope;
}

function isEarlierOnNode(
  one: Ordered<{ readonly node: string; readonly time: number }>,
  other: Ordered<{ readonly node: string; readonly time: number }>,
): boolean {
  if (one.node !== other.node) return one.node < other.node;
  return one.time === other.time ? one.envelope < other.envelope : one.time < other.time;
}
