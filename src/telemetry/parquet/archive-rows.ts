import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import type { CardSample, DiskSample, JobKey, NodeSample, ProcessRow, SampleTime, Window } from '../questions/rows.ts';
import type { StoreDatabase } from '../sqlite/database.ts';
import type { PartOfWindow, ProducerCount } from '../sqlite/hot-rows.ts';
import { cardOf, diskOf, nodeSampleOf, type Ordered, processOf, sampleTimeOf } from '../store/answer-of-row.ts';
import { amount, number, optional, text } from '../store/cells.ts';
import { type ClosedDay, closedDays, filesOf } from './catalog.ts';
import { DAY_SECONDS, dayOf, hourBegin, HOUR_SECONDS } from '../store/days.ts';
import { loadDuckDB, openDatabase, portions, quotedFile } from './duckdb.ts';
import { type ArchiveTableName, type HourTableName, hourTables } from './tables.ts';

export type Cells = Readonly<Record<string, DuckDBValue>>;
export type Values = Record<string, DuckDBValue>;

/** The rows of closed days, from their files. A window without closed days needs no DuckDB. */
export class ArchiveRows {
  readonly #db: StoreDatabase;
  readonly #store: string;
  #opened: Promise<DuckDBInstance> | undefined;

  constructor(db: StoreDatabase, store: string) {
    this.#db = db;
    this.#store = store;
  }

  /** The closed days of a cluster within a window, with their samples. */
  days(cluster: number, window: Pick<Window, 'from' | 'until'>): ClosedDay[] {
    return this.#closed(cluster, window).filter(({ hasSamples }) => hasSamples);
  }

  /** Those with hours of which no samples are left. */
  daysOfLostHours(cluster: number, window: Pick<Window, 'from' | 'until'>): ClosedDay[] {
    return this.#closed(cluster, window).filter(({ hasLostHours }) => hasLostHours);
  }

  #closed(cluster: number, { from, until }: Pick<Window, 'from' | 'until'>): ClosedDay[] {
    // A window may be without end.
    const [first, last] = [Math.max(0, dayOf(from)), Math.min(dayOf(until - 1), 1e6)];
    return closedDays(this.#db, { cluster, first, last });
  }

  #open(): Promise<DuckDBInstance> {
    this.#opened ??= loadDuckDB().then((duck) => openDatabase(duck, join(tmpdir(), `torc-sonar-${process.pid}`)));
    return this.#opened;
  }

  async close(): Promise<void> {
    if (this.#opened !== undefined) (await this.#opened).closeSync();
  }

  /** Rows of a statement, as they are made. */
  async *read(sql: string, values: Values = {}): AsyncGenerator<readonly Cells[]> {
    yield* portions(await this.#open(), sql, values);
  }

  /** The files of a table as a table; undefined if no day has one. */
  table(days: readonly ClosedDay[], table: ArchiveTableName | HourTableName): string | undefined {
    const files = filesOf(this.#store, days, table);
    // Amounts of hours had other types in earlier releases.
    const types = Object.hasOwn(hourTables, table) ? ', union_by_name = true' : '';
    return files.length === 0 ? undefined : `read_parquet([${files.map(quotedFile).join(', ')}]${types})`;
  }

  /** The samples of a window as `s`. */
  samples(days: readonly ClosedDay[], { from, until, node, nodes }: PartOfWindow): { sql: string; values: Values } {
    const ofNode = node === undefined ? '' : " and (node = $node or split_part(node, '.', 1) = $node)";
    const ofNodes = nodes === undefined ? '' : ' and node between $first_node and $last_node';
    const table = this.table(days, 'sample') ?? '';
    return {
      sql: `(select * from ${table} where time >= ${seconds(from)} and time < ${seconds(until)}${ofNode}${ofNodes})`,
      values: {
        ...(node === undefined ? {} : { node }),
        ...(nodes === undefined ? {} : { first_node: nodes.first, last_node: nodes.last }),
      },
    };
  }

  /** The rows of a job, of processes as `p`. */
  ofJob({ job, epoch }: JobKey): string {
    return `p.job = ${BigInt(job)}::ubigint${epoch === undefined ? '' : ` and p.epoch = ${BigInt(epoch)}::ubigint`}`;
  }

  /** How many samples each producer sent of each node; of one job, only those that have it. */
  async producers(days: readonly ClosedDay[], window: Window, key?: JobKey): Promise<ProducerCount[]> {
    const { sql, values } = this.samples(days, { ...window, node: undefined });
    const processes = this.table(days, 'process') ?? '';
    const having = key === undefined ? '' : `where s.n in (select p.n from ${processes} p where ${this.ofJob(key)})`;
    const found: ProducerCount[] = [];
    for await (const rows of this.read(
      `select node, producer, bool_or(jobs_only) as jobs_only, count(*) as count from ${sql} s ${having} group by all`,
      values,
    ))
      for (const row of rows)
        found.push({
          node: text(row, 'node'),
          producer: text(row, 'producer'),
          hasJobsOnly: row['jobs_only'] === true,
          count: number(row, 'count'),
        });
    return found;
  }

  /** Processes in the order of time, envelope, slot and place; of the chosen producers, or of all. */
  async *processes(
    cluster: string,
    days: readonly ClosedDay[],
    window: PartOfWindow,
    key: JobKey | undefined,
    chosen: ReadonlyMap<string, string> | undefined,
  ): AsyncGenerator<readonly ProcessRow[]> {
    const { sql, values } = this.samples(days, window);
    const gpus = this.table(days, 'process_gpu');
    const pairs = [...(chosen ?? [])].map(([node, producer]) => `${node} ${producer}`);
    const rows = this.read(
      `select s.time, s.id, s.node, p.slot, p.ord, p.job, p.epoch, p."user", p.pid, p.ppid, p.cmd, p.rss, p.cpu_time, p.cpu_avg, p.rolledup
         ${gpus === undefined ? '' : ', g.util as gpu_util, g.memory as gpu_memory, g.cards'}
       from ${this.table(days, 'process')} p join ${sql} s on s.n = p.n
       ${chosen === undefined ? '' : `join (select unnest(from_json($pairs, '["VARCHAR"]')) as pair) c on c.pair = s.node || ' ' || s.producer`}
       ${
         gpus === undefined
           ? ''
           : `left join (select n, slot, ord, sum(util order by item) as util, sum(memory) as memory, string_agg(uuid, ' ' order by item) as cards
              from ${gpus} group by all) g on g.n = p.n and g.slot = p.slot and g.ord = p.ord`
       }
       where ${key === undefined ? 'true' : this.ofJob(key)} ${window.user === undefined ? '' : 'and p."user" = $user'}
       order by s.time, s.id, p.slot, p.ord nulls first`,
      {
        ...values,
        ...(chosen === undefined ? {} : { pairs: JSON.stringify(pairs) }),
        ...(window.user === undefined ? {} : { user: window.user }),
      },
    );
    for await (const portion of rows) yield portion.map((row) => processOf(row, cluster));
  }

  async firstSamples(days: readonly ClosedDay[], window: Window): Promise<[node: string, time: number][]> {
    const { sql, values } = this.samples(days, { ...window, node: undefined });
    const found: [string, number][] = [];
    for await (const rows of this.read(`select node, min(time) as time from ${sql} group by node`, values))
      for (const row of rows) found.push([text(row, 'node'), number(row, 'time')]);
    return found;
  }

  /** The newest sample of each node before a time, on the days. */
  async newestSamples(days: readonly ClosedDay[], until: number): Promise<[node: string, time: number][]> {
    const { sql } = this.samples(days, { from: 0, until });
    const found: [string, number][] = [];
    for await (const rows of this.read(`select node, max(time) as time from ${sql} group by node`))
      for (const row of rows) found.push([text(row, 'node'), number(row, 'time')]);
    return found;
  }

  async sampleTimes(cluster: string, days: readonly ClosedDay[], window: PartOfWindow): Promise<SampleTime[]> {
    const { sql, values } = this.samples(days, window);
    const found: SampleTime[] = [];
    for await (const rows of this.read(`select node, time, boot from ${sql}`, values))
      for (const row of rows) found.push(sampleTimeOf(row, cluster));
    return found;
  }

  async *nodeSamples(
    cluster: string,
    days: readonly ClosedDay[],
    window: PartOfWindow,
  ): AsyncGenerator<readonly Ordered<NodeSample>[]> {
    const { sql, values } = this.samples(days, window);
    const cards = this.table(days, 'card');
    const rows = this.read(
      `select s.id, s.node, s.time, s.used_memory, s.cpus, s.load1 ${cards === undefined ? '' : ', g.cards, g.util as gpu_util, g.memory as gpu_memory'}
       from ${sql} s ${
         cards === undefined
           ? ''
           : `left join (select n, count(*) as cards, avg(coalesce(ce_util, 0)) as util, sum(memory) as memory from ${cards} group by n) g using (n)`
       }
       where s.has_system order by s.node, s.time, s.id`,
      values,
    );
    for await (const portion of rows) yield portion.map((row) => nodeSampleOf(row, cluster));
  }

  /** The state of cards at each sample, or the newest of each card. */
  async *cards(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
    isNewest: boolean,
  ): AsyncGenerator<readonly Ordered<CardSample>[]> {
    const cards = this.table(days, 'card');
    if (cards === undefined) return;
    const { sql, values } = this.samples(days, window);
    const found = `select ${isNewest ? 'distinct on (s.node, g.uuid) ' : ''}s.id, s.node, s.time, s.source, g.* from ${cards} g join ${sql} s on s.n = g.n`;
    const order = isNewest ? 's.node, g.uuid, s.time desc, s.id desc' : 's.node, s.time, s.id, g.item';
    for await (const portion of this.read(`${found} order by ${order}`, values))
      yield portion.map((row) => cardOf(row, cluster));
  }

  async *disks(
    cluster: string,
    days: readonly ClosedDay[],
    window: Window,
  ): AsyncGenerator<readonly Ordered<DiskSample>[]> {
    const disks = this.table(days, 'disk');
    if (disks === undefined) return;
    const { sql, values } = this.samples(days, window);
    const rows = this.read(
      `select s.id, s.node, s.time, d.* from ${disks} d join ${sql} s on s.n = d.n order by s.node, s.time, s.id, d.item`,
      values,
    );
    for await (const portion of rows) yield portion.map((row) => diskOf(row, cluster));
  }

  /** Hours without samples; for an hour of a node of which a sample came again they say so. */
  async hours(
    table: HourTableName,
    days: readonly ClosedDay[],
    window: Window,
    key?: JobKey,
  ): Promise<readonly Hour[]> {
    const found: Hour[] = [];
    for (const day of days) {
      const file = this.table([day], table);
      if (file === undefined) continue;
      const own = table === 'job_hour';
      const samples = this.table([day], 'sample');
      const sql = `select * from ${file} p
        where p.time >= ${seconds(window.from)} and p.time < ${seconds(window.until)}
          and concat_ws(' ', p.node, p.time) not in (select unnest(from_json($present, '["VARCHAR"]')))
          ${samples === undefined ? '' : `and not exists (select 1 from ${samples} s where s.node = p.node and ${hourBegin('s.time')} = p.time)`}
          ${window.node === undefined ? '' : "and (p.node = $node or split_part(p.node, '.', 1) = $node)"}
          ${own && window.user !== undefined ? 'and p."user" = $user' : ''} ${own && key !== undefined ? `and ${this.ofJob(key)}` : ''}
        order by p.time, p.node`;
      const values = {
        present: JSON.stringify(this.#hoursWithHotSamples(day)),
        ...(window.node === undefined ? {} : { node: window.node }),
        ...(own && window.user !== undefined ? { user: window.user } : {}),
      };
      for await (const rows of this.read(sql, values))
        for (const row of rows) found.push({ cluster: day.clusterName, ...hourOf(table, row) });
    }
    return found;
  }

  /** Closed days within a window of which all samples are in their files: their hours say all of them. */
  wholeDays(cluster: number, window: Pick<Window, 'from' | 'until'>): ClosedDay[] {
    return this.days(cluster, window).filter(
      (each) =>
        each.day * DAY_SECONDS >= window.from &&
        (each.day + 1) * DAY_SECONDS <= window.until &&
        this.table([each], 'job_hour') !== undefined &&
        this.#hoursWithHotSamples(each).length === 0,
    );
  }

  /** The hours of a job in such days of one cluster. */
  async hoursOfWhole(days: readonly ClosedDay[], { node, user }: Window, key: JobKey): Promise<readonly Hour[]> {
    const found: Hour[] = [];
    const rows = this.read(
      `select * from ${this.table(days, 'job_hour')} p where ${this.ofJob(key)}
         ${node === undefined ? '' : "and (p.node = $node or split_part(p.node, '.', 1) = $node)"} ${user === undefined ? '' : 'and p."user" = $user'}
       order by p.time, p.node`,
      { ...(node === undefined ? {} : { node }), ...(user === undefined ? {} : { user }) },
    );
    const cluster = days[0]?.clusterName ?? '';
    for await (const portion of rows) for (const row of portion) found.push({ cluster, ...hourOf('job_hour', row) });
    return found;
  }

  /** Node and begin of each. */
  #hoursWithHotSamples({ cluster, day }: ClosedDay): string[] {
    return this.#db
      .all(
        `select distinct n.name, e.time / ${HOUR_SECONDS} * ${HOUR_SECONDS} as hour from envelope e join node n on n.id = e.node
         where e.cluster = ? and e.type = 'sample' and e.time >= ? and e.time < ?`,
        cluster,
        day * DAY_SECONDS,
        (day + 1) * DAY_SECONDS,
      )
      .map((row) => `${String(row['name'])} ${String(row['hour'])}`);
  }

  /** How many samples of a day begin at each of its times, in their order. */
  async timesOf(day: ClosedDay, window: Window): Promise<[time: number, samples: number][]> {
    const { sql, values } = this.samples([day], window);
    const found: [number, number][] = [];
    for await (const rows of this.read(
      `select time, count(*) as count from ${sql} group by time order by time`,
      values,
    ))
      for (const row of rows) found.push([number(row, 'time'), number(row, 'count')]);
    return found;
  }

  /** All rows of a table of the samples of a window, with the id of the envelope. */
  async rowsOf(table: ArchiveTableName, day: ClosedDay, window: Window): Promise<readonly Cells[]> {
    const rows = this.table([day], table);
    if (rows === undefined) return [];
    const { sql, values } = this.samples([day], window);
    const statement =
      table === 'sample'
        ? `select * from ${sql} order by time, id`
        : `select s.id as envelope, t.* from ${rows} t join ${sql} s on s.n = t.n order by s.id, ${PLACES[table]}`;
    return (await Array.fromAsync(this.read(statement, values))).flat();
  }
}

type Hour = Readonly<Record<string, string | number | bigint | undefined>>;

/** The values of an hour: numbers, and ids exactly. */
function hourOf(table: HourTableName, row: Cells): Hour {
  return Object.fromEntries(
    Object.entries(hourTables[table]).map(([name, type]) => [
      name,
      type === 'VARCHAR' ? text(row, name) : type === 'UBIGINT' ? amount(row, name) : optional(row, name),
    ]),
  );
}

const PLACES = { process: 't.slot, t.ord', process_gpu: 't.slot, t.ord, t.item', card: 't.item', disk: 't.item' };

const seconds = (time: number): string => String(Number.isSafeInteger(time) ? time : time > 0 ? 1e15 : 0);
