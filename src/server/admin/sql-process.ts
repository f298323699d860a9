/** A program that carries out one statement: one that never ends can be ended with it, and holds up nobody. */
import { openDatabase, openReader } from '../store/database.ts';
import { ownTables } from '../store/migrate.ts';
import { adminQueries } from './queries.ts';
import { readSql } from './read-sql.ts';
import { readGuard } from './guard.ts';
import type { Answer, Order } from './sql-apart.ts';

process.once('message', (order: Order) => {
  const tell = (answer: Answer, then?: () => void) => process.send?.(answer, undefined, undefined, then);
  let answer: Answer;
  try {
    answer = order.kind === 'read' ? read(order) : write(order, () => tell({ kind: 'begun' }));
  } catch (error) {
    answer = { kind: 'failed', error: (error as Error).message };
  }
  tell(answer, () => process.disconnect?.());
});

function read({ path, sql, limit }: Order & { kind: 'read' }): Answer {
  const db = openReader(path);
  return { kind: 'read', read: readSql(db, sql, limit, readGuard()) };
}

function write({ path, attempt, keep }: Order & { kind: 'write' }, begun: () => void): Answer {
  const db = openDatabase(path);
  const rowsAffected = adminQueries(db, ownTables).changeAlone(attempt, keep, begun);
  db.close();
  return { kind: 'written', rowsAffected };
}
