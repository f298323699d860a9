import { firstSamples, sourceCounts } from '../queries/nodes.ts';
import { chosenSources } from '../queries/producers.ts';
import { QueriedRows } from '../queries/queried-rows.ts';
import { type RecordTables, RecordQueries } from '../queries/records.ts';
import {
  bound,
  type Cluster,
  type PartOfWindow,
  type PlacedRow,
  type RowSource,
  type SampleQuery,
  type SampleSelection,
  storedNumber,
} from '../queries/selection.ts';
import { type ClosedJobHours, type JobHour, jobHourOf, type NodeHour, nodeHourOf } from '../rows/hours.ts';
import type { NodeInfo } from '../rows/records.ts';
import type { JobKey, Portions, TelemetryRows, AskedWindow } from '../rows/rows.ts';
import { type CellsOfRow, numberCell, optional, textCell } from '../rows/cells.ts';
import type { PgConnection } from './connection.ts';
import { jsonbTexts, postgresConditions } from './conditions.ts';
import * as hourSql from './hour-queries.ts';
import { totalsOf } from './job-totals.ts';
import { NamesById } from './names-by-id.ts';

interface PgCluster extends Cluster {
  /** One producer sent all samples of the store: none has to be chosen for a node. */
  readonly hasOneProducer: boolean;
  readonly source: RowSource;
  /** It lost samples of days of the window: only of such ones are hours read. */
  readonly hasLostDays: boolean;
}

const recordsIn = (db: PgConnection): RecordTables => ({
  mark: '$',
  schema: 'sonar.',
  byBytes: (column) => `${column} collate "C"`,
  each: jsonbTexts,
  newestElsewhere: (until) =>
    `select h.last from sonar.node_hour h where h.node = n.id and h.last < ${until} order by h.time desc limit 1`,
  all: (sql, values) => db.query(sql, ...values),
});

/** The rows of questions from PostgreSQL: those that the embedded store gives, in the same order. */
export class PgRows extends QueriedRows implements TelemetryRows {
  readonly #db: PgConnection;
  readonly #names: NamesById;
  readonly #asked = new Map<string, Promise<readonly PgCluster[]>>();

  constructor(db: PgConnection) {
    super(new RecordQueries(recordsIn(db)));
    this.#db = db;
    this.#names = new NamesById(db);
  }

  protected clustersOf(name: string | undefined): Promise<readonly Cluster[]> {
    return this.#clusters(name);
  }

  /**
   * The clusters of a window. Parts of a question that ask for them at the same time wait for one answer: the way to the server and back takes
   * as long as the samples of a small job.
   */
  #clusters(
    name: string | undefined,
    { from = 0, until = 0 }: Partial<AskedWindow> = {},
  ): Promise<readonly PgCluster[]> {
    const key = JSON.stringify([name, from, until]);
    let clusters = this.#asked.get(key);
    if (clusters === undefined) {
      clusters = this.#askForClusters(name ?? null, from, until).finally(() => this.#asked.delete(key));
      this.#asked.set(key, clusters);
    }
    return clusters;
  }

  async #askForClusters(...values: readonly [name: string | null, from: number, until: number]): Promise<PgCluster[]> {
    const rows = await this.#db.query(CLUSTERS, ...values);
    return rows.map((row) => ({
      id: numberCell(row, 'id'),
      name: textCell(row, 'name'),
      hasOneProducer: numberCell(row, 'producers') < 2,
      hasLostDays: row['has_lost_days'] === true,
      source: this.#source(row['has_cards'] === true),
    }));
  }

  #source(hasCards: boolean): RowSource {
    const ofCards = (text: string) => (hasCards ? text : '');
    return (query, asked) => this.#answer(query, asked, ofCards);
  }

  async *#answer<Row>(
    { postgres, rowOf }: SampleQuery<Row>,
    asked: SampleSelection,
    ofCards: (text: string) => string,
  ): AsyncGenerator<readonly Row[]> {
    const { sql, values } = bound('$', (bind) => postgres(postgresConditions(asked, bind), ofCards));
    if (sql === '') return;
    for await (const rows of this.#db.stream(sql, ...values)) {
      const names = await this.#names.of({ user: numbersIn(rows, 'user'), cmd: numbersIn(rows, 'cmd') });
      yield rows.map((row) => rowOf(row, asked.cluster.name, names));
    }
  }

  async #withLostDays(window: AskedWindow): Promise<readonly PgCluster[]> {
    return (await this.#clusters(window.cluster, window)).filter(({ hasLostDays }) => hasLostDays);
  }

  protected async *portions<Row extends PlacedRow>(
    query: SampleQuery<Row>,
    window: PartOfWindow,
    key?: JobKey,
  ): Portions<Row> {
    for (const { source, hasOneProducer, ...cluster } of await this.#clusters(window.cluster, window)) {
      const asked = { cluster, window, key };
      const isChosen = query.isOfProcesses === true && !hasOneProducer;
      const counts = isChosen ? (await Array.fromAsync(source(sourceCounts, asked))).flat() : [];
      yield* source(query, { ...asked, chosen: chosenSources(counts) });
    }
  }

  async firstSamples({ cluster: name, from, until }: AskedWindow): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (const { source, ...cluster } of await this.#clusters(name))
      for await (const rows of source(firstSamples, { cluster, window: { from, until } }))
        for (const [node, time] of rows) found.set(`${cluster.name} ${node}`, time);
    return found;
  }

  async sysinfo(window: AskedWindow): Promise<readonly NodeInfo[]> {
    const nodes: NodeInfo[] = [];
    for (const cluster of await this.#clusters(window.cluster))
      for (const { elsewhere, ...node } of await this.records.sysinfo(cluster, window))
        nodes.push({ ...node, sampled: node.sampled ?? elsewhere });
    return nodes;
  }

  async jobHours(window: AskedWindow, key?: JobKey, isAddedUp = false): Promise<JobHour[]> {
    const jobs: JobHour[] = [];
    const ofJob = key === undefined ? [null, null] : [storedNumber(key.job), epochOf(key)];
    for (const { id, name } of await this.#withLostDays(window)) {
      const values = [...windowValues(id, window), window.user ?? null];
      if (isAddedUp && key === undefined) {
        const [totals = {}] = await this.#db.query(hourSql.JOB_TOTALS, ...values);
        for (const each of await totalsOf(totals, name, this.#names)) jobs.push(each);
      } else
        for (const row of await this.#db.query(hourSql.JOB_HOURS, ...values, ...ofJob)) jobs.push(jobHourOf(row, name));
    }
    return jobs;
  }

  async closedJobHours(window: AskedWindow, key: JobKey): Promise<ClosedJobHours> {
    const [lost, clusters] = await Promise.all([this.jobHours(window, key), this.#clusters(window.cluster, window)]);
    const hours = [...lost];
    const found: number[] = [];
    for (const { id, name } of clusters) {
      const days = await this.#db.query(hourSql.CLOSED_DAYS, id, window.from, window.until);
      if (days.length === 0) continue;
      const numbersOfDays = days.map((row) => numberCell(row, 'day'));
      for (const row of await this.#db.query(
        hourSql.CLOSED_JOB_HOURS,
        id,
        numbersOfDays,
        window.node ?? null,
        window.user ?? null,
        storedNumber(key.job),
        epochOf(key),
      ))
        hours.push(jobHourOf(row, name));
      for (const day of numbersOfDays) found.push(day);
    }
    return { hours, days: found };
  }

  async nodeHours(window: AskedWindow, stepSeconds = HOUR): Promise<NodeHour[]> {
    const isAddedUp = stepSeconds > HOUR && stepSeconds % HOUR === 0;
    const nodes: NodeHour[] = [];
    for (const { id, name } of await this.#withLostDays(window)) {
      const values = windowValues(id, window);
      const rows = isAddedUp
        ? await this.#db.query(hourSql.NODE_STEPS, ...values, stepSeconds, stepSeconds % DAY === 0)
        : await this.#db.query(hourSql.NODE_HOURS, ...values);
      for (const row of rows) nodes.push(nodeHourOf(row, name));
    }
    return nodes;
  }

  async hourlySpan(window: AskedWindow): Promise<{ readonly from: number; readonly until: number } | undefined> {
    let span: { readonly from: number; readonly until: number } | undefined;
    for (const { id } of await this.#clusters(window.cluster)) {
      const [row = {}] = await this.#db.query(hourSql.HOURLY_SPAN, ...windowValues(id, window));
      const [first, last] = [optional(row, 'first'), optional(row, 'last')];
      if (first !== undefined && last !== undefined)
        span = {
          from: Math.min(first, span?.from ?? first),
          until: Math.max(last + HOUR, span?.until ?? 0),
        };
    }
    return span;
  }
}

const HOUR = 3600;
const DAY = 24 * HOUR;

/**
 * The clusters of a window, $1 or all, whether samples of its days ($2 to $3) were deleted, and of the store how many producers it has, that is
 * whether there is a choice of them at all, and whether it has cards.
 */
const CLUSTERS = `
  select c.id, c.name, (select count(distinct s.name::jsonb ->> 'producer') from sonar.source s) as producers,
    exists (select from sonar.gpu) as has_cards, exists (
      select from sonar.day where cluster = c.id and has_lost and day >= $2::bigint / 86400 and day <= $3::bigint / 86400
    ) as has_lost_days
  from sonar.cluster c where ($1::text is null or c.name = $1) order by c.name collate "C"`;

/** The numbers of a column; where it has names, none. */
function* numbersIn(rows: readonly CellsOfRow[], column: string): Generator<number> {
  for (const { [column]: cell } of rows) if (typeof cell === 'number') yield cell;
}

const windowValues = (cluster: number, { from, until, node }: AskedWindow) => [cluster, from, until, node ?? null];
const epochOf = ({ epoch }: JobKey): string | null => (epoch === undefined ? null : storedNumber(epoch));
