import type { ColumnValue } from '../../store/database.ts';
import type { StoredRow } from './trees.ts';

export interface SavedColumn {
  readonly name: string;
  /** `INTEGER`, `REAL`, `TEXT` or `BLOB`: our tables are strict. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly hasDefault: boolean;
}

/** A table of torc, with its columns in the order in which a row has them. */
export interface SavedTable {
  readonly name: string;
  readonly hasIds: boolean;
  /** The column that is the id of a row, whose place in the row is empty. */
  readonly idColumn: string | undefined;
  readonly columns: readonly SavedColumn[];
}

/**
 * The table to which all these rows may belong; undefined where that is none or several.
 *
 * A row has fewer values than its table has columns where those came with a later migration.
 */
export function tableOfRows(rows: readonly StoredRow[], tables: readonly SavedTable[]): SavedTable | undefined {
  const fitting = tables.filter((table) => rows.every((row) => fits(row, table)));
  const exact = fitting.filter(({ columns }) => rows.every(({ values }) => values.length === columns.length));
  const [only, ...others] = exact.length > 0 ? exact : fitting;
  return others.length === 0 ? only : undefined;
}

function fits({ id, values }: StoredRow, { hasIds, idColumn, columns }: SavedTable): boolean {
  if (hasIds !== (id !== undefined) || values.length > columns.length) return false;
  return columns.every((column, at) => {
    const value = values[at];
    if (value === undefined) return column.isNullable || column.hasDefault;
    if (column.name === idColumn) return value === null;
    return value === null ? column.isNullable : isOfType(value, column.type);
  });
}

function isOfType(value: ColumnValue, type: string): boolean {
  if (type === 'TEXT') return typeof value === 'string';
  if (type === 'INTEGER') return typeof value === 'bigint' || Number.isInteger(value);
  if (type === 'REAL') return typeof value === 'number' || typeof value === 'bigint';
  return value instanceof Uint8Array;
}

/** What `sqlite_schema` says of a table or an index. */
export interface SchemaEntry {
  readonly type: 'table' | 'index';
  readonly name: string;
  /** The table itself, or that of an index. */
  readonly table: string;
  readonly root: number;
  /** An index that has not every row. */
  readonly isPartial: boolean;
}

/** The tables and indexes in rows of `sqlite_schema`. */
export const entriesIn = (rows: Iterable<StoredRow>): SchemaEntry[] =>
  [...rows].flatMap(({ values: [type, name, table, root, sql] }) =>
    (type === 'table' || type === 'index') && typeof name === 'string' && typeof table === 'string' && Number(root) > 0
      ? [{ type, name: name.toLowerCase(), table: table.toLowerCase(), root: Number(root), isPartial: isPartial(sql) }]
      : [],
  );

const isPartial = (sql: ColumnValue | undefined): boolean => typeof sql === 'string' && /\)\s+where\s/i.test(sql);

/** Whether rows are those of `sqlite_schema`. */
export const isSchema = (rows: readonly StoredRow[]): boolean =>
  rows.every(
    ({ id, values }) =>
      id !== undefined && values.length === 5 && ['table', 'index', 'view', 'trigger'].includes(String(values[0])),
  );
