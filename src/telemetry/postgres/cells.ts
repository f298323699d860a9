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
export const numbers = (row: PgRow, name: string): number[] => {
  const cell = row[name];
  return Array.isArray(cell) ? (cell as readonly bigint[]).map((each) => Number(fromInteger(each) ?? 0)) : [];
};
