import { rmSync } from 'node:fs';
import type { DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { type SampleSelection, type Bind, bound, type RowSource, type SampleQuery } from '../queries/selection.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import type { StoreDatabase } from '../sqlite/database.ts';
import { amountCell, numberCell, optional, textCell } from '../rows/cells.ts';
import { DAY_SECONDS, dayOf, hourBegin, HOUR_SECONDS } from '../days.ts';
import { type ClosedDay, closedDays, filesOfTable } from './catalog.ts';
import { inWindow, ofJobIn, ofNodeIn, parquetConditions, parquetTexts, secondsLiteral } from './conditions.ts';
import { loadDuckDB, openArchive, portions } from './duckdb.ts';
import type { ArchiveTableName } from '../tables.ts';
import { emptyTableOf, type HourTableName, hourTables, parquetTableOf } from './tables.ts';
import { privateFolder } from '../../../cluster/private-folder.ts';

type Cells = Readonly<Record<string, DuckDBValue>>;

/** The rows of closed days, from their files. A window without closed days needs no DuckDB. */
export class ArchiveRows {
  readonly #db: StoreDatabase;
  readonly #store: string;
  #opened: Promise<DuckDBInstance> | undefined;
  /** For what does not fit into memory: a name that another user cannot have made before. */
  #folder: string | undefined;

  constructor(db: StoreDatabase, store: string) {
    this.#db = db;
    this.#store = store;
  }

  /** The closed days of a cluster within a window, with their samples. */
  days(cluster: number, window: Pick<AskedWindow, 'from' | 'until'>): ClosedDay[] {
    return this.#closed(cluster, window).filter(({ hasSamples }) => hasSamples);
  }

  /** Those with hours of which no samples are left. */
  daysOfLostHours(cluster: number, window: Pick<AskedWindow, 'from' | 'until'>): ClosedDay[] {
    return this.#closed(cluster, window).filter(({ hasLostHours }) => hasLostHours);
  }

  #closed(cluster: number, { from, until }: Pick<AskedWindow, 'from' | 'until'>): ClosedDay[] {
    // A window may be without end.
    const [first, last] = [Math.max(0, dayOf(from)), Math.min(dayOf(until - 1), 1e6)];
    return closedDays(this.#db, { cluster, first, last });
  }

  #open(): Promise<DuckDBInstance> {
    this.#opened ??= loadDuckDB().then((duck) => {
      this.#folder = privateFolder('torc-sonar-');
      return openArchive(duck, this.#folder);
    });
    return this.#opened;
  }

  async close(): Promise<void> {
    if (this.#opened !== undefined) (await this.#opened).closeSync();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }

  async *#read<Row>(
    sql: string,
    values: readonly unknown[],
    rowOf: (row: Cells) => Row,
  ): AsyncGenerator<readonly Row[]> {
    for await (const rows of portions(await this.#open(), sql, values as readonly DuckDBValue[]))
      yield rows.map((row) => rowOf(row));
  }

  async #rows(write: (bind: Bind) => string): Promise<Cells[]> {
    const { sql, values } = bound('$', write);
    return (await Array.fromAsync(this.#read(sql, values, (row) => row))).flat();
  }

  /** The files of a table as a table; undefined if no day has one. */
  table(days: readonly ClosedDay[], table: ArchiveTableName | HourTableName): string | undefined {
    const files = filesOfTable(this.#store, days, table);
    return files.length === 0 ? undefined : parquetTableOf(table, files);
  }

  /** The samples of days, for the statements that every store has. */
  source(days: readonly ClosedDay[]): RowSource {
    const file = (name: ArchiveTableName) => this.table(days, name) ?? emptyTableOf(name);
    return (query, asked) => this.#answer(query, asked, file);
  }

  async *#answer<Row>(
    { duckdb, rowOf, hasLists }: SampleQuery<Row>,
    asked: SampleSelection,
    file: (name: ArchiveTableName) => string,
  ): AsyncGenerator<readonly Row[]> {
    const parts = hasLists === true ? await this.#partsOf(asked, file) : [{}];
    for (const part of parts) {
      const ofPart = { ...asked, window: { ...asked.window, ...part } };
      const { sql, values } = bound('$', (bind) => duckdb(parquetConditions(ofPart, bind, file), file));
      yield* this.#read(sql, values, (row) => rowOf(row, asked.cluster.name));
    }
  }

  /** Parts of the window: DuckDB keeps all lists of an answer until it is made, and has no memory for those of all processes. */
  async #partsOf(
    asked: SampleSelection,
    file: (name: ArchiveTableName) => string,
  ): Promise<Pick<AskedWindow, 'from' | 'until'>[]> {
    const rows = await this.#rows(
      (bind) =>
        `select ${hourBegin('e.time')} as hour, count(*) as count from ${file('process')} p join ${file('sample')} e on e.n = p.n
         where ${parquetConditions(asked, bind, file).entries} group by 1 order by 1`,
    );
    const hours = rows.map((row) => ({ from: numberCell(row, 'hour'), count: numberCell(row, 'count') }));
    return slicesOfHours(hours, asked.window);
  }

  /** The newest sample of each node before a time, on the days. */
  async newestSamples(days: readonly ClosedDay[], until: number): Promise<[node: string, time: number][]> {
    const rows = await this.#rows(
      () =>
        `select e.node, max(e.time) as time from ${this.table(days, 'sample')} e where e.time < ${secondsLiteral(until)} group by e.node`,
    );
    return rows.map((row) => [textCell(row, 'node'), numberCell(row, 'time')]);
  }

  /** Hours without samples; for an hour of a node of which a sample came again they say so. */
  async hours(
    table: HourTableName,
    days: readonly ClosedDay[],
    window: AskedWindow,
    key?: JobKey,
  ): Promise<readonly Hour[]> {
    const found: Hour[] = [];
    for (const day of days) {
      const file = this.table([day], table);
      const samples = this.table([day], 'sample');
      if (file === undefined) continue;
      const rows = await this.#rows(
        (bind) => `
          select * from ${file} p where p.time >= ${secondsLiteral(window.from)} and p.time < ${secondsLiteral(window.until)}
            and concat_ws(' ', p.node, p.time) not in (${parquetTexts(bind(JSON.stringify(this.#hoursWithHotSamples(day))))})
            ${samples === undefined ? '' : `and not exists (select 1 from ${samples} s where s.node = p.node and ${hourBegin('s.time')} = p.time)`}
            ${ofHours(table === 'job_hour' ? window : { node: window.node }, table === 'job_hour' ? key : undefined, bind)}
          order by p.time, p.node`,
      );
      for (const row of rows) found.push({ cluster: day.clusterName, ...hourOf(table, row) });
    }
    return found;
  }

  /** Closed days within a window of which all samples are in their files: their hours say all of them. */
  wholeDays(cluster: number, window: Pick<AskedWindow, 'from' | 'until'>): ClosedDay[] {
    return this.days(cluster, window).filter(
      (each) =>
        each.day * DAY_SECONDS >= window.from &&
        (each.day + 1) * DAY_SECONDS <= window.until &&
        this.table([each], 'job_hour') !== undefined &&
        this.#hoursWithHotSamples(each).length === 0,
    );
  }

  /** The hours of a job in such days of one cluster. */
  async hoursOfWhole(days: readonly ClosedDay[], window: AskedWindow, key: JobKey): Promise<readonly Hour[]> {
    const rows = await this.#rows(
      (bind) =>
        `select * from ${this.table(days, 'job_hour')} p where true ${ofHours(window, key, bind)} order by p.time, p.node`,
    );
    return rows.map((row) => ({ cluster: days[0]?.clusterName ?? '', ...hourOf('job_hour', row) }));
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
  async timesOf(day: ClosedDay, window: AskedWindow): Promise<[time: number, samples: number][]> {
    const rows = await this.#rows(
      (bind) =>
        `select e.time, count(*) as count ${this.#samplesOf(day, window, bind)} group by e.time order by e.time`,
    );
    return rows.map((row) => [numberCell(row, 'time'), numberCell(row, 'count')]);
  }

  /** All rows of a table of the samples of a window, with the id of the envelope. */
  async rowsOf(table: ArchiveTableName, day: ClosedDay, window: AskedWindow): Promise<readonly Cells[]> {
    const rows = this.table([day], table);
    if (rows === undefined) return [];
    return this.#rows((bind) => {
      const samples = `select e.* ${this.#samplesOf(day, window, bind)}`;
      return table === 'sample'
        ? `${samples} order by e.time, e.id`
        : `select e.id as envelope, t.* from ${rows} t join (${samples}) e on e.n = t.n order by e.id, ${PLACES[table]}`;
    });
  }

  #samplesOf(day: ClosedDay, window: AskedWindow, bind: Bind): string {
    const ofNode = window.node === undefined ? '' : `and ${ofNodeIn('e', bind(window.node))}`;
    return `from ${this.table([day], 'sample')} e where ${inWindow(window)} ${ofNode}`;
  }
}

/** Of hours `p`. */
const ofHours = ({ node, user }: Pick<AskedWindow, 'node' | 'user'>, key: JobKey | undefined, bind: Bind): string =>
  [
    ...(node === undefined ? [] : [`and ${ofNodeIn('p', bind(node))}`]),
    ...(user === undefined ? [] : [`and p."user" = ${bind(user)}`]),
    ...(key === undefined ? [] : [`and ${ofJobIn(key)}`]),
  ].join(' ');

type Hour = Readonly<Record<string, string | number | bigint | undefined>>;

/** The values of an hour: numbers, and ids exactly. */
function hourOf(table: HourTableName, row: Cells): Hour {
  return Object.fromEntries(
    Object.entries(hourTables[table]).map(([name, type]) => [
      name,
      type === 'VARCHAR' ? textCell(row, name) : type === 'UBIGINT' ? amountCell(row, name) : optional(row, name),
    ]),
  );
}

const PLACES = { process: 't.slot, t.ord', process_gpu: 't.slot, t.ord, t.item', card: 't.item', disk: 't.item' };

/** The lists of so many processes take about 100 MB. */
const SLICE_PROCESSES = 200_000;

/** Parts of a window that begin with hours, each of a limited number of processes, or of one hour. None where there are no hours. */
export function slicesOfHours(
  hours: readonly { readonly from: number; readonly count: number }[],
  window: Pick<AskedWindow, 'from' | 'until'>,
  mostProcesses = SLICE_PROCESSES,
): Pick<AskedWindow, 'from' | 'until'>[] {
  const begins: number[] = [];
  let processes = 0;
  for (const { from, count } of hours) {
    processes += count;
    if (begins.length > 0 && processes <= mostProcesses) continue;
    begins.push(begins.length === 0 ? window.from : from);
    processes = count;
  }
  return begins.map((from, index) => ({ from, until: begins[index + 1] ?? window.until }));
}
