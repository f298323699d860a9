import type { PgConnection } from './connection.ts';

const TABLES = ['node', 'user', 'cmd'] as const;
type Table = (typeof TABLES)[number];
type NameMaps = Readonly<Record<Table, Map<number, string>>>;

/** Commands of a site may be any text: what is remembered is limited. */
const MOST_REMEMBERED = 100_000;

const NAMES = TABLES.map(
  (table, index) => `select '${table}' as "table", id, name from sonar."${table}" where id = any($${index + 1}::int[])`,
).join(' union all ');

/**
 * Names by their numbers, so that rows need not be joined with names and names do not come again with each row. A number that was
 * given to a name stays with it, and names are written before the rows that use them.
 */
export class NamesById {
  readonly #db: PgConnection;
  #names: NameMaps = { node: new Map(), user: new Map(), cmd: new Map() };

  constructor(db: PgConnection) {
    this.#db = db;
  }

  /** The names of these numbers, and perhaps of others. */
  async of(wanted: Readonly<Partial<Record<Table, Iterable<number>>>>): Promise<NameMaps> {
    if (this.#names.cmd.size > MOST_REMEMBERED) this.#names = { ...this.#names, cmd: new Map() };
    // Others may begin new maps meanwhile.
    const names = this.#names;
    const missing = TABLES.map((table) => [...new Set(wanted[table])].filter((id) => !names[table].has(id)));
    if (missing.some((ids) => ids.length > 0))
      for (const { table, id, name } of await this.#db.query(NAMES, ...missing))
        names[table as Table].set(Number(id), String(name));
    return names;
  }
}
