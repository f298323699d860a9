import { createHash } from 'node:crypto';
import type { PgConnection } from './connection.ts';

/** Texts that stand for numbers in rows. */
export type NameTable = 'user' | 'cmd' | 'gpu' | 'disk' | 'source';

/** Commands of a site may be any text: what is remembered is limited. */
const MOST_REMEMBERED = 100_000;

const hashOf = (name: string): Buffer => createHash('sha256').update(name).digest();

/**
 * Numbers of names. New names are written on their own, before the transaction that uses them: so two programs that meet the
 * same names never wait for each other, and a number that was given stays.
 */
export class PostgresNames {
  readonly #db: PgConnection;
  readonly #table: NameTable;
  readonly #ids = new Map<string, number>();

  constructor(db: PgConnection, table: NameTable) {
    this.#db = db;
    this.#table = table;
  }

  /** The numbers of these names. */
  async idsOf(names: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> {
    const ids = new Map<string, number>();
    const unknown = new Map<string, string>();
    for (const name of names) {
      const known = this.#ids.get(name);
      if (known === undefined) unknown.set(hashOf(name).toString('hex'), name);
      else ids.set(name, known);
    }
    if (unknown.size === 0) return ids;
    const hashes = [...unknown.keys()].toSorted();
    await this.#find(hashes, unknown, ids);
    const missing = hashes.filter((hash) => !ids.has(unknown.get(hash) ?? ''));
    if (missing.length > 0) {
      await this.#db.query(
        `insert into sonar."${this.#table}" (sha256, name)
         select decode(hash, 'hex'), name from unnest($1::text[], $2::text[]) as t (hash, name) on conflict do nothing`,
        missing,
        missing.map((hash) => unknown.get(hash)),
      );
      await this.#find(missing, unknown, ids);
    }
    return ids;
  }

  async #find(hashes: readonly string[], names: ReadonlyMap<string, string>, ids: Map<string, number>): Promise<void> {
    const rows = await this.#db.query(
      `select id, encode(sha256, 'hex') as hash from sonar."${this.#table}" where sha256 = any($1::bytea[])`,
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    );
    for (const { id, hash } of rows) {
      const name = names.get(String(hash));
      if (name === undefined) continue;
      ids.set(name, Number(id));
      if (this.#ids.size >= MOST_REMEMBERED) this.#ids.clear();
      this.#ids.set(name, Number(id));
    }
  }
}
