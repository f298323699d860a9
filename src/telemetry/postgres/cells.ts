import { amountOf } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { fromInteger } from '../store/numbers.ts';
import type { PgRow } from './library.ts';

/** The cells of a row by their columns; integers of 64 bits come as bigints. */
export const text = (row: PgRow, name: string): string => {
  const cell = row[name];
  return typeof cell === 'string' ? cell : '';
};
export const number = (row: PgRow, name: string): number => Number(row[name] ?? 0);
export const optional = (row: PgRow, name: string): number | undefined =>
  row[name] === null || row[name] === undefined ? undefined : number(row, name);
export const uint = (row: PgRow, name: string): Uint | undefined => {
  const cell = row[name];
  return typeof cell === 'bigint' ? fromInteger(cell) : undefined;
};
export const uints = (row: PgRow, name: string): Uint[] => {
  const cell = row[name];
  return Array.isArray(cell) ? (cell as readonly bigint[]).map((each) => fromInteger(each) ?? 0) : [];
};

/** A column of an amount, a sum of such columns (`sumAs`), or what was added up as a double. */
export function amount(row: PgRow, name: string): Uint {
  const cell = row[name];
  if (typeof cell === 'bigint') return fromInteger(cell) ?? 0;
  if (typeof cell === 'string') return cell.length <= SAFE_DIGITS ? Number(cell) : amountOf(BigInt(cell));
  return typeof cell === 'number' ? amountOf(cell) : 0;
}

const SAFE_DIGITS = 15;

/** SQL of the exact sum of a column that has unsigned integers of 64 bits as signed ones, with all digits. */
export const sumAs = (column: string, name: string): string =>
  `(sum(${column}) + 18446744073709551616 * count(*) filter (where ${column} < 0))::text as ${name}`;
