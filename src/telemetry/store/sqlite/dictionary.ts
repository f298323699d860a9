import type { StoreDatabase } from './database.ts';

/** Texts that stand for numbers in rows. What was read or written once is remembered. */
type DictionaryTable = 'user' | 'cmd' | 'gpu' | 'disk' | 'source';

/** Commands of a site may be any text: what is remembered is limited. */
const MOST_REMEMBERED = 100_000;

export class Dictionary {
  readonly #db: StoreDatabase;
  readonly #table: DictionaryTable;
  readonly #ids = new Map<string, number>();
  readonly #names = new Map<number, string>();

  constructor(db: StoreDatabase, table: DictionaryTable) {
    this.#db = db;
    this.#table = table;
  }

  idOf(name: string): number {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const found = this.#db.get(`select id from ${this.#table} where name = ?`, name);
    const id =
      found === undefined ? this.#db.run(`insert into ${this.#table} (name) values (?)`, name).id : Number(found['id']);
    this.#remember(id, name);
    return id;
  }

  nameOf(id: number): string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const name = String(this.#db.get(`select name from ${this.#table} where id = ?`, id)?.['name'] ?? '');
    this.#remember(id, name);
    return name;
  }

  /** Ids that a transaction gave and that were rolled back must not be used again. */
  forget(): void {
    this.#ids.clear();
    this.#names.clear();
  }

  #remember(id: number, name: string): void {
    if (this.#ids.size >= MOST_REMEMBERED) this.forget();
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }
}
