import type { ArchiveTableName } from '../tables.ts';
import type { DuckDBConnection, DuckDBDataChunk, DuckDBValue } from '@duckdb/node-api';
import type { JobHour, NodeHour } from '../rows/hours.ts';
import type { HourPortions } from './hours-of-day.ts';
import type { SqliteRow, StoreDatabase } from '../sqlite/database.ts';
import { type Cell, fromThousandths, unpackUints } from '../rows/numbers.ts';
import type { ClosedDay } from '../archive/catalog.ts';
import { filesOfTable } from '../archive/catalog.ts';
import { DAY_SECONDS, hourBegin } from '../days.ts';
import { type DuckDB, runWithMore } from '../archive/duckdb.ts';
import {
  archiveTableNames,
  archiveTables,
  type ArchiveType,
  type HourTableName,
  hourTableNames,
  hourTables,
  parquetTableOf,
} from '../archive/tables.ts';

/** Rows of a chunk: what DuckDB works with at once. */
const CHUNK = 2048;
/** An appender holds 100 chunks outside of the memory limit, of samples with many cores more than the limit itself. */
const CHUNKS_HELD = 5;

const valueOf: Readonly<Record<ArchiveType, (duck: DuckDB, cell: NonNullable<Cell>) => DuckDBValue>> = {
  BIGINT: (_duck, cell) => cell as bigint,
  UBIGINT: (_duck, cell) => BigInt.asUintN(64, cell as bigint),
  INTEGER: (_duck, cell) => Number(cell),
  DOUBLE: (_duck, cell) => fromThousandths(cell) ?? null,
  VARCHAR: (_duck, cell) => cell as string,
  BOOLEAN: (_duck, cell) => cell !== 0n,
  'UBIGINT[]': (duck, cell) => duck.listValue(unpackUints(cell).map(BigInt)),
};

export interface DayToClose {
  readonly cluster: number;
  readonly clusterName: string;
  readonly day: number;
  /** The newest envelope that is part of it: later ones wait for the next close. */
  readonly lastId: number;
}

/** Makes tables in DuckDB of the hot rows of a day and of those that were archived before; `samples` numbers the samples. */
export async function stage(
  duck: DuckDB,
  connection: DuckDBConnection,
  db: StoreDatabase,
  { cluster, day, lastId }: DayToClose,
  before: { readonly store: string; readonly closed: ClosedDay } | undefined,
): Promise<void> {
  for (const name of archiveTableNames) {
    const { columns, from } = archiveTables[name];
    const definitions = Object.entries(columns).map(([column, [type]]) => `"${column}" ${type}`);
    await connection.run(`create table "${name}" (${definitions.join(', ')})`);
    const hot = Object.entries(columns).map(([column, [, expression]]) => `${expression} as "${column}"`);
    const rows = db.each(
      `select ${hot.join(', ')} from ${from}
       where e.cluster = ? and e.type = 'sample' and e.time >= ? and e.time < ? and e.id <= ?`,
      cluster,
      day * DAY_SECONDS,
      (day + 1) * DAY_SECONDS,
      lastId,
    );
    await append(duck, connection, name, Object.entries(columns), [rows]);
    const filesBefore = (table: ArchiveTableName) =>
      before?.closed.hasSamples === true ? filesOfTable(before.store, [before.closed], table) : [];
    const samples = filesBefore('sample');
    for (const file of filesBefore(name)) {
      const names = Object.keys(columns).map((column) => `"${column}"`);
      // What is not a sample knows its sample by its number.
      const source =
        name === 'sample'
          ? `select ${names.join(', ')} from ${parquetTableOf(name, [file])}`
          : `select ${names.map((column) => (column === '"id"' ? 's.id' : `p.${column}`)).join(', ')}
             from ${parquetTableOf(name, [file])} p join ${parquetTableOf('sample', samples)} s using (n)`;
      await runWithMore(connection, `insert into "${name}" ${source}`);
    }
  }
  // A number is unique within its cluster, whatever days are read together.
  await runWithMore(
    connection,
    `create table numbered as
     select id, ${day}::bigint * 4294967296 + row_number() over (order by node, time, id) as n from sample`,
  );
  await sortSamples(connection, day);
}

/** Samples of a slice: DuckDB keeps what it sorts in memory where rows have lists, however small its limit. */
const SLICE_BYTES = 16_777_216;
const BYTES_OF_OTHERS = 256;

/** Puts the samples into the order of their numbers, a limited number of bytes at a time. Each slice reads all samples. */
export async function sortSamples(connection: DuckDBConnection, day: number): Promise<void> {
  const result = await connection.run(
    `select count(*), coalesce(max(8 * coalesce(len(cpus), 0)), 0) + ${BYTES_OF_OTHERS} from sample`,
  );
  const [samples = 0, bytes = 0] = ((await result.getRows())[0] ?? []).map(Number);
  const slice = Math.max(1, Math.floor(SLICE_BYTES / bytes));
  await connection.run('create table ordered as select null::bigint as n, * from sample limit 0');
  for (let first = 1; first <= samples; first += slice) {
    const number = `${day}::bigint * 4294967296 + ${first}`;
    await runWithMore(
      connection,
      `insert into ordered select m.n, t.* from sample t join numbered m using (id)
       where m.n >= ${number} and m.n < ${number} + ${slice} order by m.n`,
    );
  }
  await connection.run('drop table sample');
  await connection.run('alter table ordered rename to sample');
}

/** Makes tables of the hours of a day; hours that it had and of which it has no samples stay. Gives whether there are such. */
export async function stageHours(
  duck: DuckDB,
  connection: DuckDBConnection,
  hours: Readonly<Record<HourTableName, HourPortions>>,
  kept: Readonly<Record<HourTableName, readonly string[]>>,
): Promise<boolean> {
  let isKept = false;
  for (const table of hourTableNames) {
    const columns = Object.entries(hourTables[table]).map(([name, type]): [string, readonly [ArchiveType, string]] => [
      name,
      [type, name],
    ]);
    await connection.run(`create table ${table} (${columns.map(([name, [type]]) => `"${name}" ${type}`).join(', ')})`);
    await append(duck, connection, table, columns, mappedRows(hours[table], columns));
    for (const file of kept[table]) {
      const { rowsChanged } = await connection.run(
        `insert into ${table} select ${columns.map(([name]) => `"${name}"`).join(', ')} from ${parquetTableOf(table, [file])} h
         where not exists (select 1 from sample s where s.node = h.node and ${hourBegin('s.time')} = h.time)`,
      );
      isKept ||= rowsChanged > 0;
    }
  }
  return isKept;
}

type Columns = readonly (readonly [name: string, column: readonly [type: ArchiveType, ...unknown[]]])[];

/** Rows of values as rows of cells. */
async function* mappedRows(portions: HourPortions, columns: Columns): AsyncGenerator<readonly SqliteRow[]> {
  for await (const rows of portions) yield rows.map((row) => mappedRow(row, columns));
}

function mappedRow(row: JobHour | NodeHour, columns: Columns): SqliteRow {
  const values = row as unknown as Readonly<Record<string, number | bigint | string | undefined>>;
  return Object.fromEntries(
    columns.map(([name, [type]]) => {
      const value = values[name];
      return [name, value === undefined ? null : type === 'DOUBLE' || type === 'VARCHAR' ? value : BigInt(value)];
    }),
  );
}

async function append(
  { DuckDBDataChunk: Chunk, ...duck }: DuckDB,
  connection: DuckDBConnection,
  table: string,
  columns: Columns,
  portions: AsyncIterable<Iterable<SqliteRow>> | Iterable<Iterable<SqliteRow>>,
): Promise<void> {
  const appender = await connection.createAppender(table);
  const types = columns.map((_column, index) => appender.columnType(index));
  // One for all rows: its memory is outside of the heap, so that the collector does not hurry to free those of a large day.
  const chunk: DuckDBDataChunk = Chunk.create(types);
  let values: DuckDBValue[][] = columns.map(() => []);
  let count = 0;
  let chunksHeld = 0;
  const flush = () => {
    if (count === 0) return;
    chunk.reset();
    chunk.rowCount = count;
    chunk.setColumns(values);
    appender.appendDataChunk(chunk);
    chunksHeld++;
    if (chunksHeld === CHUNKS_HELD) {
      appender.flushSync();
      chunksHeld = 0;
    }
    values = columns.map(() => []);
    count = 0;
  };
  for await (const rows of portions)
    for (const row of rows) {
      for (const [index, [name, [type]]] of columns.entries()) {
        const cell = row[name] ?? null;
        values[index]?.push(cell === null ? null : valueOf[type](duck as DuckDB, cell));
      }
      count++;
      if (count === CHUNK) flush();
    }
  flush();
  appender.closeSync();
}
