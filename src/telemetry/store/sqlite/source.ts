import type { SQLInputValue } from 'node:sqlite';
import type { RecordTables } from '../queries/records.ts';
import { bound, type RowSource } from '../queries/selection.ts';
import type { Cell } from '../rows/numbers.ts';
import type { StoreDatabase } from './database.ts';
import { jsonTexts, sqliteConditions } from './conditions.ts';

/** The rows of days that are not closed, and of late envelopes of closed ones. */
export const sqliteSource =
  (db: StoreDatabase): RowSource =>
  ({ sqlite, rowOf, isHeld }, asked) => {
    const { sql, values } = bound('?', (bind) => sqlite(sqliteConditions(asked, bind)));
    return db.portions(
      sql,
      values as readonly SQLInputValue[],
      (row) => rowOf(unpacked(row), asked.cluster.name),
      isHeld,
    );
  };

export const sqliteRecords = (db: StoreDatabase): RecordTables => ({
  mark: '?',
  schema: '',
  byBytes: (column) => column,
  each: jsonTexts,
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
