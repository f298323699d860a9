import type { ArchiveRows } from '../archive/archive-rows.ts';
import type { ClosedDay } from '../archive/catalog.ts';
import type { HourTableName } from '../archive/tables.ts';
import { firstSamples, sourceCounts } from '../queries/nodes.ts';
import { chosenSources } from '../queries/producers.ts';
import { QueriedRows } from '../queries/queried-rows.ts';
import { RecordQueries } from '../queries/records.ts';
import type { Cluster, PartOfWindow, PlacedRow, RowSource, SampleQuery } from '../queries/selection.ts';
import type { ClosedJobHours, JobHour, NodeHour } from '../rows/hours.ts';
import type { NodeInfo } from '../rows/records.ts';
import type { JobKey, Portions, TelemetryRows, AskedWindow } from '../rows/rows.ts';
import type { StoreDatabase } from '../sqlite/database.ts';
import { mergedInOrder } from '../sqlite/portions.ts';
import { sqliteRecords, sqliteSource } from '../sqlite/source.ts';
import { numberCell, textCell } from '../rows/cells.ts';

/**
 * The rows of the embedded store: those of its file and those of its closed days, as one.
 *
 * Each answer reads one state of the file, so a day that is closed meanwhile is read either here or there.
 */
export class EmbeddedRows extends QueriedRows implements TelemetryRows {
  readonly #db: StoreDatabase;
  readonly #hot: RowSource;
  readonly #archive: ArchiveRows;

  constructor(db: StoreDatabase, archive: ArchiveRows) {
    super(new RecordQueries(sqliteRecords(db)));
    this.#db = db;
    this.#hot = sqliteSource(db);
    this.#archive = archive;
  }

  clusters(name: string | undefined): readonly Cluster[] {
    return this.#db
      .all('select id, name from cluster where (?1 is null or name = ?1) order by name', name ?? null)
      .map((row) => ({ id: numberCell(row, 'id'), name: textCell(row, 'name') }));
  }

  protected async clustersOf(name: string | undefined): Promise<readonly Cluster[]> {
    return this.clusters(name);
  }

  /** The hot rows of each cluster of a window, joined by those of its closed days. */
  protected portions<Row extends PlacedRow>(
    query: SampleQuery<Row>,
    window: PartOfWindow,
    key?: JobKey,
  ): Portions<Row> {
    return this.#db.snapshot(
      async function* (this: EmbeddedRows) {
        for (const cluster of this.clusters(window.cluster)) {
          const days = this.#archive.days(cluster.id, window);
          const counts = query.isOfProcesses === true ? await this.#all(sourceCounts, cluster, window, days, key) : [];
          const asked = { cluster, window, key, chosen: chosenSources(counts) };
          const [hot, ...archived] = this.#sources(days).map((source) => source(query, asked));
          yield* archived.length === 0
            ? (hot as Portions<Row>)
            : mergedInOrder([hot as Portions<Row>, ...archived], isBefore[query.order]);
        }
      }.bind(this),
    );
  }

  #sources(days: readonly ClosedDay[]): RowSource[] {
    return [this.#hot, ...(days.length === 0 ? [] : [this.#archive.source(days)])];
  }

  async #all<Row>(
    query: SampleQuery<Row>,
    cluster: Cluster,
    window: AskedWindow,
    days: readonly ClosedDay[],
    key?: JobKey,
  ) {
    const found: Row[] = [];
    for (const source of this.#sources(days))
      for await (const rows of source(query, { cluster, window, key })) for (const row of rows) found.push(row);
    return found;
  }

  firstSamples({ cluster: name, from, until }: AskedWindow): Promise<ReadonlyMap<string, number>> {
    return this.#db.inSnapshot(async () => {
      const found = new Map<string, number>();
      for (const cluster of this.clusters(name)) {
        const days = this.#archive.days(cluster.id, { from, until });
        for (const [node, time] of await this.#all(firstSamples, cluster, { from, until }, days)) {
          const key = `${cluster.name} ${node}`;
          found.set(key, Math.min(time, found.get(key) ?? time));
        }
      }
      return found;
    });
  }

  sysinfo(window: AskedWindow): Promise<readonly NodeInfo[]> {
    return this.#db.inSnapshot(async () => {
      const found: NodeInfo[] = [];
      for (const cluster of this.clusters(window.cluster)) {
        const nodes = await this.records.sysinfo(cluster, window);
        // Only a question about the past needs the files.
        const isPast = nodes.some(({ elsewhere = 0 }) => elsewhere >= window.until);
        const days = isPast ? this.#archive.days(cluster.id, { from: 0, until: window.until }) : [];
        const past = new Map(days.length === 0 ? [] : await this.#archive.newestSamples(days, window.until));
        for (const { elsewhere = 0, ...node } of nodes) {
          const archived = elsewhere < window.until ? elsewhere : (past.get(node.node) ?? 0);
          const sampled = Math.max(node.sampled ?? 0, archived);
          found.push({ ...node, sampled: sampled === 0 ? undefined : sampled });
        }
      }
      return found;
    });
  }

  async jobHours(window: AskedWindow, key?: JobKey): Promise<readonly JobHour[]> {
    return (await this.#hours('job_hour', window, key)) as unknown as readonly JobHour[];
  }

  closedJobHours(window: AskedWindow, key: JobKey): Promise<ClosedJobHours> {
    return this.#db.inSnapshot(async () => {
      const hours: JobHour[] = [];
      const found: number[] = [];
      for (const cluster of this.clusters(window.cluster)) {
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

  async nodeHours(window: AskedWindow): Promise<readonly NodeHour[]> {
    return (await this.#hours('node_hour', window)) as unknown as readonly NodeHour[];
  }

  #hours(table: HourTableName, window: AskedWindow, key?: JobKey) {
    return this.#db.inSnapshot(async () => {
      const found = [];
      for (const cluster of this.clusters(window.cluster)) {
        const days = this.#archive.daysOfLostHours(cluster.id, window);
        if (days.length > 0) for (const row of await this.#archive.hours(table, days, window, key)) found.push(row);
      }
      return found;
    });
  }
}

const isBefore = {
  time: (one: PlacedRow, other: PlacedRow): boolean =>
    one.time === other.time ? one.envelope < other.envelope : one.time < other.time,
  node: (one: PlacedRow, other: PlacedRow): boolean =>
    one.node === other.node ? isBefore.time(one, other) : one.node < other.node,
};
