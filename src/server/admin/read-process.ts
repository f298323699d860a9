/** A program that carries out one reading statement: one that never ends can be ended with it, and holds up nobody. */
import { DatabaseSync } from 'node:sqlite';
import { readSql } from './read-sql.ts';
import type { Reading } from './read-apart.ts';

process.once('message', ({ path, sql, limit }: Reading) => {
  const answer = (words: object) => process.send?.(words, undefined, undefined, () => process.disconnect?.());
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    answer({ read: readSql(db.prepare(sql), limit) });
  } catch (error) {
    answer({ error: (error as Error).message });
  }
});
