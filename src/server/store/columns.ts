import type { ColumnValue } from './database.ts';

/** Statements and values of rows from the columns of a table, so that each column is named once. */

/** The names in a text, separated by blanks. */
export const columns = <Text extends string>(text: Text) => text.split(' ') as NameIn<Text>[];
type NameIn<Text extends string> = Text extends `${infer Name} ${infer Rest}` ? Name | NameIn<Rest> : Text;

export const insertInto = (table: string, names: readonly string[]): string =>
  `insert into ${table} (${names.join(', ')}) values (${names.map((column) => `:${column}`).join(', ')})`;

/** Writes all of these columns. */
export const update = (table: string, names: readonly string[]): string =>
  `update ${table} set ${names.map((column) => `${column} = :${column}`).join(', ')} where id = :id`;

/** The part of an update that writes those of these columns that are not null. */
export const setGiven = (names: readonly string[]): string =>
  names.map((column) => `${column} = coalesce(:${column}, ${column})`).join(', ');

/** The values of these columns as they are stored: a flag as a number, a list or an object as JSON text, nothing as null. */
export function columnValuesOf<Column extends string>(
  record: { readonly [Name in Column]?: unknown },
  names: readonly Column[],
): Record<Column, ColumnValue> {
  return Object.fromEntries(names.map((column) => [column, valueOf(record[column])])) as Record<Column, ColumnValue>;
}

function valueOf(value: unknown): ColumnValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' ? JSON.stringify(value) : (value as ColumnValue);
}
