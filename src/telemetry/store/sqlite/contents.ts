import { createHash } from 'node:crypto';
import type { StoreDatabase } from './database.ts';

/** Texts that many envelopes have: equal ones are stored once. */
export class Contents {
  readonly #db: StoreDatabase;

  constructor(db: StoreDatabase) {
    this.#db = db;
  }

  idOf(text: string): number {
    const hash = createHash('sha256').update(text).digest();
    const found = this.#db.get('select id from content where sha256 = ?', hash);
    if (found !== undefined) return Number(found['id']);
    return this.#db.run('insert into content (sha256, text) values (?, ?)', hash, text).id;
  }
}
