import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { databaseFile } from '../../../cluster/database-file.ts';
import { makeFolder } from '../../../cluster/make-folder.ts';
import type { Cell } from '../rows/numbers.ts';
import { portionsOf } from './portions.ts';
import { additions, SCHEMA, STORE_VERSION, UPGRADES } from './schema.ts';

/** The file of the store is not one, or is newer than this program. */
export class StoreUnusable extends Error {}

export type SqliteRow = Readonly<Record<string, Cell>>;

export interface StoreAccess {
  readonly isReadOnly?: boolean;
  /** A transaction that has ended survives a power failure. Without it a few may be lost; their input is still there. */
  readonly isDurable?: boolean;
}

/** Another program may write for this long before a statement fails. */
const BUSY_MS = 30_000;
/** A log that grew larger while a reader held it is cut to this when it begins anew. */
const LOG_BYTES_KEPT = 64 * 1024 * 1024;

/** A connection to the store, with its statements prepared once. */
export class StoreDatabase {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();

  constructor(path: string, { isReadOnly = false, isDurable = false }: StoreAccess = {}) {
    this.#path = path;
    if (isReadOnly && !existsSync(path)) throw new StoreUnusable(`there is no store at ${path}`);
    if (!isReadOnly && path !== ':memory:') makeFolder(dirname(path));
    try {
      this.#database = new DatabaseSync(databaseFile(path), {
        readOnly: isReadOnly,
        timeout: BUSY_MS,
      });
      this.#prepare(path, isReadOnly, isDurable);
    } catch (cause) {
      if (cause instanceof StoreUnusable) throw cause;
      throw new StoreUnusable(`cannot open the store ${path}: ${(cause as Error).message}`, { cause });
    }
  }

  #prepare(path: string, isReadOnly: boolean, isDurable: boolean): void {
    const database = this.#database;
    const version = () =>
      Number((database.prepare('pragma user_version').get() as { user_version: number }).user_version);
    const columns = database.prepare('select 1 from pragma_table_info(?) where name = ?');
    const added = () => additions((table, column) => columns.get(table, column) !== undefined);
    if (!isReadOnly) {
      // Before the first table: what a closed day leaves free is given back.
      database.exec(
        `pragma auto_vacuum = incremental; pragma journal_mode = wal;
         pragma synchronous = ${isDurable ? 'full' : 'normal'}; pragma cache_size = -65536;
         pragma journal_size_limit = ${LOG_BYTES_KEPT}`,
      );
      // Two programs may create or upgrade the same store at once.
      database.exec('begin immediate');
      const tables = database.prepare('select count(*) as n from sqlite_schema').get() as { n: number };
      if (version() === 0 && tables.n === 0) database.exec(`${SCHEMA}; pragma user_version = ${STORE_VERSION}`);
      while (UPGRADES[version()] !== undefined)
        database.exec(`${UPGRADES[version()]}; pragma user_version = ${version() + 1}`);
      if (version() === STORE_VERSION) database.exec(added());
      database.exec('commit');
    } else if (UPGRADES[version()] !== undefined || (version() === STORE_VERSION && added() !== ''))
      new StoreDatabase(path).close();
    if (version() !== STORE_VERSION)
      throw new StoreUnusable(
        version() > STORE_VERSION
          ? `${path} was written by a newer torc (store version ${version()}, expected ${STORE_VERSION})`
          : `${path} is no store of telemetry`,
      );
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      statement.setReadBigInts(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  run(sql: string, ...values: SQLInputValue[]): { readonly changes: number; readonly id: number } {
    const { changes, lastInsertRowid } = this.#statement(sql).run(...values);
    return { changes: Number(changes), id: Number(lastInsertRowid) };
  }

  get(sql: string, ...values: SQLInputValue[]): SqliteRow | undefined {
    return this.#statement(sql).get(...values) as SqliteRow | undefined;
  }

  all(sql: string, ...values: SQLInputValue[]): readonly SqliteRow[] {
    return this.#statement(sql).all(...values) as SqliteRow[];
  }

  /** Rows one by one, with a statement of its own: rows of the same text may be read while it is open. */
  *each(sql: string, ...values: SQLInputValue[]): Generator<SqliteRow> {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    yield* statement.iterate(...values) as Iterable<SqliteRow>;
  }

  /**
   * What `itemOf` makes of each row, in portions, with a statement of its own; with `isHeld` in one, which is faster. Rows come as
   * lists of cells: the objects that `node:sqlite` makes take twice as long, and are read more slowly than those made here.
   */
  async *portions<Item>(
    sql: string,
    values: readonly SQLInputValue[],
    itemOf: (row: Record<string, Cell>) => Item,
    isHeld = false,
  ): AsyncGenerator<readonly Item[]> {
    const statement = this.#database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const names = statement.columns().map(({ name }) => name);
    const rowOf = (cells: readonly Cell[]) => {
      const row: Record<string, Cell> = {};
      for (let at = 0; at < names.length; at++) row[names[at] as string] = cells[at] as Cell;
      return itemOf(row);
    };
    if (isHeld) yield (statement.all(...values) as unknown as readonly (readonly Cell[])[]).map(rowOf);
    else yield* portionsOf(statement.iterate(...values) as Iterable<unknown> as Iterable<readonly Cell[]>, rowOf);
  }

  transaction<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate');
    try {
      const result = work();
      this.#database.exec('commit');
      return result;
    } catch (error) {
      // A full disk may have ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }

  /** What `read` reads, also between its pauses, is the store as it was at its begin. Readers may stand within one another. */
  async *snapshot<Item>(read: () => AsyncIterable<Item>): AsyncGenerator<Item> {
    this.#beginReading();
    try {
      yield* read();
    } finally {
      this.#endReading();
    }
  }

  async inSnapshot<Result>(read: () => Promise<Result>): Promise<Result> {
    this.#beginReading();
    try {
      return await read();
    } finally {
      this.#endReading();
    }
  }

  #readers = 0;

  #beginReading(): void {
    if (this.#readers === 0 && !this.#database.isTransaction) this.#database.exec('begin');
    this.#readers++;
  }

  #endReading(): void {
    this.#readers--;
    if (this.#readers === 0 && this.#database.isTransaction) this.#database.exec('commit');
  }

  /** Gives so many free pages back to the disk; false if there were fewer. */
  shrink(pages: number): boolean {
    const free = () =>
      Number((this.#database.prepare('pragma freelist_count').get() as { freelist_count: number }).freelist_count);
    const before = free();
    this.#database.exec(`pragma incremental_vacuum(${pages})`);
    return before > pages && free() < before;
  }

  /** Bytes of the write-ahead log on disk. */
  logBytes(): number {
    return statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Copies the write-ahead log into the file and empties it. False, without a wait, if a reader or writer holds it. */
  cutLog(): boolean {
    this.#database.exec('pragma busy_timeout = 0');
    try {
      const { busy } = this.#database.prepare('pragma wal_checkpoint(truncate)').get() as { busy: number };
      return busy === 0;
    } finally {
      this.#database.exec(`pragma busy_timeout = ${BUSY_MS}`);
    }
  }

  close(): void {
    this.#database.close();
  }
}
