import { DatabaseSync, type StatementSync } from 'node:sqlite';

export type Value = string | number | bigint | null | Uint8Array;
type Parameters = Record<string, Value | undefined>;

/** A prepared statement. `undefined` is written as null: runtimes before 26 would refuse it. */
export interface Statement<P extends Parameters, Row> {
  get(parameters: P): Row | undefined;
  all(parameters: P): Row[];
  iterate(parameters: P): IterableIterator<Row>;
  /** Number of rows changed. */
  run(parameters: P): number;
  /** The id of the row that was inserted. */
  insert(parameters: P): number;
}

export type NoParameters = Record<string, never>;

/** One connection. Only the store and `queries.ts` files may prepare statements on it. */
export interface Database {
  prepare<P extends Parameters = NoParameters, Row = unknown>(sql: string): Statement<P, Row>;
  /** Runs statements that answer nothing. */
  run(sql: string): void;
  /** The plan of a statement as SQLite tells it, a line a step: what tests of hot queries look at. */
  plan(sql: string): string[];
  close(): void;
}

/**
 * Opens the database at `path`, or one in memory for `:memory:`.
 *
 * WAL with `synchronous=FULL`: what was acknowledged is on disk. It costs one sync a commit, and all writes of a turn
 * of the event loop share a commit (`turn.ts`).
 */
export function openDatabase(path: string): Database {
  const db = new DatabaseSync(path, { timeout: 5_000 });
  if (path !== ':memory:') db.exec('pragma journal_mode = wal');
  db.exec(`
    pragma synchronous = full;
    pragma wal_autocheckpoint = 1000;
    pragma foreign_keys = on;
    pragma temp_store = memory;
    pragma cache_size = -32000;
  `);
  return {
    prepare: (sql) => statement(db.prepare(sql)),
    run: (sql) => db.exec(sql),
    plan: (sql) => (db.prepare(`explain query plan ${sql}`).all() as { detail: string }[]).map(({ detail }) => detail),
    close: () => {
      db.close();
    },
  };
}

function statement<P extends Parameters, Row>(prepared: StatementSync): Statement<P, Row> {
  const bound = (parameters: P) => parameters as Record<string, Value>;
  return {
    get: (parameters) => prepared.get(bound(parameters)) as Row | undefined,
    all: (parameters) => prepared.all(bound(parameters)) as Row[],
    iterate: (parameters) => prepared.iterate(bound(parameters)) as IterableIterator<Row>,
    run: (parameters) => Number(prepared.run(bound(parameters)).changes),
    insert: (parameters) => Number(prepared.run(bound(parameters)).lastInsertRowid),
  };
}
