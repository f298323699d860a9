import { closeSync, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';

export type ColumnValue = string | number | bigint | null | Uint8Array;
type Parameters = Record<string, ColumnValue | undefined>;

/** A prepared statement. `undefined` is written as null: runtimes before 26 would refuse it. */
export interface Statement<P extends Parameters, Row> {
  get(parameters: P): Row | undefined;
  all(parameters: P): Row[];
  iterate(parameters: P): IterableIterator<Row>;
  /** Number of rows changed. */
  run(parameters: P): number;
  /** The id of the inserted row. */
  insert(parameters: P): number;
}

/** Returns SQLITE_OK or SQLITE_DENY for an action of a statement with up to two names. */
export type Authorizer = (action: number, first: string | null, second: string | null) => number;

export type NoParameters = Record<string, never>;

/** Pages in the write-ahead log. */
export interface Logged {
  /** Since the log was last begun anew. */
  readonly pages: number;
  /** Of these, the pages that are also in the database file; if all are, the next commit begins the log anew. */
  readonly copied: number;
}

/** One connection. Only the store and `queries.ts` files may prepare statements on it. */
export interface Database {
  prepare<P extends Parameters = NoParameters, Row = unknown>(sql: string): Statement<P, Row>;
  /**
   * Prepares an insert that ends in the values of one row, for many rows; it returns their ids, in order.
   *
   * A statement with 16 rows costs half as much a row as 16 statements: 4 µs a job instead of 9. Fewer rows are written
   * four at a time: an exchange has about sixteen ends.
   */
  prepareInserts<P extends Parameters>(sql: string): (rows: readonly P[]) => number[];
  /** The statement object of the driver: for statements whose columns are not known beforehand. */
  raw(sql: string): StatementSync;
  /** Calls `work` while the database calls `authorize` for everything that its statements do. */
  guarded<T>(authorize: Authorizer, work: () => T): T;
  /** Executes statements without a result. */
  run(sql: string): void;
  /** The query plan of a statement, a line a step: used by tests of hot queries. */
  plan(sql: string): string[];
  /** Throws if the file at the database's path is not the one that was opened, or is missing. Costs 7 µs. */
  assertInPlace(): void;
  /** The state of the write-ahead log; undefined for a database without one. Costs 2 µs. */
  logged(): Logged | undefined;
  /** All that is in it, as a database in memory can begin: tables need not be made, and rows not be written, again. */
  image(): Uint8Array;
  /** False after `close`: what was put off until later has nothing to do then. */
  readonly isOpen: boolean;
  close(): void;
}

interface OpenOptions {
  readonly isReadOnly?: boolean;
  readonly compilesAtOnce?: boolean;
  /** What is in it at first, for one in memory. */
  readonly image?: Uint8Array | undefined;
}

/**
 * Opens the database at `path`, or one in memory for `:memory:`.
 *
 * WAL with `synchronous=FULL`: acknowledged data is on disk. It costs one sync a commit, and all writes of one
 * event-loop iteration share a commit (`turn.ts`).
 */
export function openDatabase(
  path: string,
  { isReadOnly = false, compilesAtOnce = path === ':memory:', image }: OpenOptions = {},
): Database {
  const db = new DatabaseSync(databaseFile(path), { timeout: 5_000, readOnly: isReadOnly });
  if (image !== undefined) db.deserialize(image);
  if (path !== ':memory:' && !isReadOnly) db.exec('pragma journal_mode = wal');
  db.exec(`
    pragma synchronous = full;
    pragma wal_autocheckpoint = 1000;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = ${isReadOnly ? -8_000 : -32_000};
  `);
  // For a file at the first use: a server has hundreds of statements, and compiling them all takes 30 ms of its start.
  // In memory at once, so that tests find an invalid statement.
  const compile = (textOf: () => string): Compiled => {
    let prepared = compilesAtOnce ? db.prepare(textOf()) : undefined;
    return () => (prepared ??= db.prepare(textOf()));
  };
  const assertInPlace = path === ':memory:' ? () => {} : placeOf(db, path);
  const log = path === ':memory:' || isReadOnly ? undefined : openLogIndex(path);
  return {
    prepare(sql) {
      let made: ReturnType<typeof positional> | undefined;
      const read = () => (made ??= positional(sql));
      return statement(
        compile(() => read().text),
        () => read().names,
      );
    },
    prepareInserts(sql) {
      const { text, names } = positional(sql);
      const row = text.slice(text.lastIndexOf('('));
      const some = ROWS.map((rows) => ({ rows, compiled: compile(() => text + `, ${row}`.repeat(rows - 1)) }));
      return inserts(some, names);
    },
    ...rawOf(db),
    run: (sql) => db.exec(sql),
    assertInPlace,
    plan: (sql) => (db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail),
    logged: () => log?.read(),
    image: () => db.serialize(),
    get isOpen() {
      return db.isOpen;
    },
    close: () => {
      db.close();
      log?.close();
    },
  };
}

/**
 * Reads the header of the index of the write-ahead log (https://sqlite.org/walformat.html, section 2): SQLite has no
 * function that returns these numbers without a checkpoint.
 *
 * The file stays open until the connection is closed: closing it earlier would release SQLite's locks on it (fcntl(2)).
 */
function openLogIndex(path: string): { read(): Logged; close(): void } | undefined {
  const name = `${realpathSync(path)}-shm`;
  if (!existsSync(name)) return undefined;
  const file = openSync(name, 'r');
  const header = new Uint32Array(25);
  return {
    read() {
      readSync(file, header, 0, header.byteLength, 0);
      return { pages: header[4] ?? 0, copied: header[24] ?? 0 };
    },
    close: () => closeSync(file),
  };
}

/** A connection that can only read, for statements that are not known beforehand. A value has at most 8 MiB. */
export const openReader = (path: string): Pick<Database, 'raw' | 'guarded'> =>
  rawOf(new DatabaseSync(databaseFile(path), { readOnly: true, timeout: 5_000, limits: { length: 8 * 2 ** 20 } }));

const rawOf = (db: DatabaseSync): Pick<Database, 'raw' | 'guarded'> => ({
  raw: (sql) => db.prepare(sql),
  guarded(authorize, work) {
    db.setAuthorizer(authorize);
    try {
      return work();
    } finally {
      db.setAuthorizer(null);
    }
  },
});

/**
 * Remembers which files were opened, and throws if other files have their names.
 *
 * A file that is deleted or replaced can still be written by a process that has it open; the data is lost. The log
 * beside the database matters as much: only it contains the latest commits.
 */
function placeOf(db: DatabaseSync, path: string): () => void {
  const identityOf = (file: string): string | undefined => {
    const found = statSync(file, { throwIfNoEntry: false });
    return found === undefined || found.nlink === 0 ? undefined : `${found.dev} ${found.ino}`;
  };
  // The log exists from the first read on.
  db.prepare('select 1 from sqlite_master').get();
  const real = realpathSync(path);
  const files = [real, `${real}-wal`].map((file) => ({ file, opened: identityOf(file) }));
  return () => {
    for (const { file, opened } of files) {
      const found = identityOf(file);
      if (found === opened) continue;
      throw new Error(
        `${file} was ${found === undefined ? 'deleted' : 'replaced by another file'} while it was in use`,
      );
    }
  };
}

/**
 * The statement with positional `?` instead of named parameters, and the names in their order.
 *
 * Binding by name costs the driver a lookup for each parameter at each call: an insert of 13 takes 7 µs instead of 3 µs
 * by position (a tenth of the server's time for a job). So names are for readers, and are converted once.
 *
 * A bare parameter as limit makes SQLite plan the statement again at each call, because its value may change the plan:
 * the ready jobs of a claim take 13 µs instead of 3 µs. An expression does not, and `+?` is one.
 */
function positional(sql: string): { text: string; names: string[] } {
  const names: string[] = [];
  // Quoted strings stay unchanged.
  const text = sql.replaceAll(PARAMETERS, (found: string, limit: string | undefined, name: string | undefined) => {
    if (name === undefined) return found;
    names.push(name);
    return limit === undefined ? '?' : `${limit}+?`;
  });
  return { text, names };
}

const PARAMETERS = /'[^']*'|(\b(?:limit|offset)\s+)?:([a-zA-Z_]\w*)/g;

/** Rows of an insert of many rows: as many as there are of the first, then of the next. */
const ROWS = [16, 4, 1] as const;

/** The statement object of the driver, compiled when it is needed. */
type Compiled = () => StatementSync;

function inserts<P extends Parameters>(
  some: readonly { readonly rows: number; readonly compiled: Compiled }[],
  names: readonly string[],
) {
  return (rows: readonly P[]): number[] => {
    const ids: number[] = [];
    let at = 0;
    for (const { rows: count, compiled } of some) {
      for (; at + count <= rows.length; at += count) {
        const values = rows.slice(at, at + count).flatMap((row) => names.map((name) => row[name] ?? null));
        // One statement assigns consecutive ids, and no other writer writes meanwhile.
        const last = Number(compiled().run(...values).lastInsertRowid);
        for (let id = last - count + 1; id <= last; id += 1) ids.push(id);
      }
    }
    return ids;
  };
}

function statement<P extends Parameters, Row>(compiled: Compiled, names: () => readonly string[]): Statement<P, Row> {
  const bound = (parameters: P): ColumnValue[] => {
    const values: ColumnValue[] = [];
    for (const name of names()) values.push(parameters[name] ?? null);
    return values;
  };
  const { reading, rowOf } = rowsOf<Row>(compiled);
  return {
    get(parameters) {
      const values = reading().get(...bound(parameters)) as ColumnValue[] | undefined;
      return values === undefined ? undefined : rowOf(values);
    },
    all: (parameters) => (reading().all(...bound(parameters)) as unknown as ColumnValue[][]).map(rowOf),
    *iterate(parameters) {
      for (const values of reading().iterate(...bound(parameters))) yield rowOf(values as unknown as ColumnValue[]);
    },
    run: (parameters) => Number(compiled().run(...bound(parameters)).changes),
    insert: (parameters) => Number(compiled().run(...bound(parameters)).lastInsertRowid),
  };
}

/**
 * The rows of a statement, as objects of one shape.
 *
 * The driver's own objects are hash tables: to make and read one of a job's 20 columns takes 4.6 µs. As an array, from
 * which a copy of an empty row is filled, it takes 2.2 µs, and a list of 1,000 jobs 1.5 ms instead of 3.6.
 */
function rowsOf<Row>(compiled: Compiled): { reading: Compiled; rowOf: (values: readonly ColumnValue[]) => Row } {
  let prepared: StatementSync | undefined;
  let columns: string[] = [];
  let empty: Record<string, ColumnValue> = {};
  return {
    reading() {
      if (prepared === undefined) {
        prepared = compiled();
        prepared.setReturnArrays(true);
      }
      return prepared;
    },
    rowOf(values) {
      // The first row, or a table has other columns now and all of them were asked for.
      if (values.length !== columns.length) {
        columns = (prepared as StatementSync).columns().map(({ name }) => name);
        empty = Object.fromEntries(columns.map((name) => [name, null]));
      }
      const row = { ...empty };
      for (let at = 0; at < columns.length; at += 1) row[columns[at] as string] = values[at] as ColumnValue;
      return row as Row;
    },
  };
}
