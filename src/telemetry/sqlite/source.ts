import type { SQLInputValue } from 'node:sqlite';
import type { RecordTables } from '../queries/records.ts';
import type { Source } from '../queries/dialect.ts';
import type { CellsOfRow } from '../store/cells.ts';
import type { Row, StoreDatabase } from './database.ts';
import { sqliteDialect } from './dialect.ts';
import { portionsOf } from './portions.ts';

/** The rows of days that are not closed, and of late envelopes of closed ones. */
export const sqliteSource = (db: StoreDatabase): Source => ({
  dialect: sqliteDialect,
  read: (sql, values, rowOf) => portionsOf(mapped(db.each(sql, ...(values as readonly SQLInputValue[])), rowOf)),
});

export const sqliteRecords = (db: StoreDatabase): RecordTables => ({
  mark: '?',
  schema: '',
  byBytes: (column) => column,
  each: sqliteDialect.each,
  newestElsewhere: () => 'select a.time from newest_archived a where a.node = n.id',
  all: async (sql, values) => db.all(sql, ...(values as readonly SQLInputValue[])),
});

/** One by one: portions of rows as they are read would be held for nothing. What a row has in one value becomes cells of its own. */
function* mapped<Item>(rows: Iterable<Row>, rowOf: (row: CellsOfRow) => Item): Generator<Item> {
  for (const row of rows) {
    const { sums, beside } = row;
    if (typeof sums === 'string') Object.assign(row, JSON.parse(sums));
    if (typeof beside === 'string') Object.assign(row, JSON.parse(beside));
    yield rowOf(row);
  }
}
