import type { PgConnection } from './connection.ts';

type Table = 'node' | 'user' | 'cmd';

/** Commands of a site may be any text: what is remembered is limited. */
const MOST_REMEMBERED = 100_000;

/**
 * Names by their numbers, so that rows need not be joined with names and names do not come again with each row. A number that was
 * given to a name stays with it, and names are written before the rows that use them.
 */
export class NamesById {
  readonly #db: PgConnection;
  readonly #names: Readonly<Record<Table, Map<number, string>>> = { node: new Map(), user: new Map(), cmd: new Map() };

  constructor(db: PgConnection) {
    this.#db = db;
  }

  /** The names of these numbers, and perhaps of others. */
  async of(table: Table, ids: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
    const names = this.#names[table];
    if (names.size > MOST_REMEMBERED) names.clear();
    const missing = [...ids].filter((id) => !names.has(id));
    if (missing.length > 0) {
      const rows = await this.#db.query(`select id, name from sonar."${table}" where id = any($1::int[])`, missing);
      for (const { id, name } of rows) names.set(Number(id), String(name));
    }
    return names;
  }
}
