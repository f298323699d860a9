import type { SQLInputValue } from 'node:sqlite';
import type { RecordTables } from '../queries/records.ts';
import type { RowSource } from '../queries/dialect.ts';
import type { Cell } from '../rows/numbers.ts';
import type { StoreDatabase } from './database.ts';
import { sqliteDialect } from './dialect.ts';

/** The rows of days that are not closed, and of late envelopes of closed ones. */
export const sqliteSource = (db: StoreDatabase): RowSource => ({
  dialect: sqliteDialect,
  read: (sql, values, rowOf, isHeld) =>
    db.portions(sql, values as readonly SQLInputValue[], (row) => rowOf(unpacked(row)), isHeld),
});

export const sqliteRecords = (db: StoreDatabase): RecordTables => ({
  mark: '?',
  schema: '',
  byBytes: (column) => column,
  each: sqliteDialect.each,
  newestElsewhere: () => 'select a.time from newest_archived a where a.node = n.id',
  all: async (sql, values) => db.all(sql, ...(values as readonly SQLInputValue[])),
});

/** What a row has in one value becomes cells of its own. */
function unpacked(row: Record<string, Cell>): Record<string, Cell> {
  const { sums, beside } = row;
  if (typeof sums === 'string') Object.assign(row, JSON.parse(sums));
  if (typeof beside === 'string') Object.assign(row, JSON.parse(beside));
  return row;
}
