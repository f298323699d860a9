import { amountOf } from '../../../core/contract/sonar/amounts.ts';
import { exactUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { mayLoseDigits, readSonarJson } from '../../../core/contract/sonar/read-json.ts';
import {
  type Cell,
  fromHalves,
  fromInteger,
  fromSigned,
  fromThousandths,
  SAFE_DIGITS,
  unpackUints,
} from './numbers.ts';

/** A row as SQLite, DuckDB or PostgreSQL gives it: the type of a cell says how its value is stored. */
export type CellsOfRow = Readonly<Record<string, unknown>>;

export const textCell = (row: CellsOfRow, name: string): string => {
  const cell = row[name];
  return typeof cell === 'string' ? cell : '';
};
export const numberCell = (row: CellsOfRow, name: string): number => Number(row[name] ?? 0);
export const optional = (row: CellsOfRow, name: string): number | undefined =>
  row[name] === null || row[name] === undefined ? undefined : numberCell(row, name);
/** A percentage or an average; as an integer, it is in thousandths. */
export const floatCell = (row: CellsOfRow, name: string): number => fromThousandths((row[name] ?? null) as Cell) ?? 0;
export const uint = (row: CellsOfRow, name: string): Uint | undefined => fromInteger((row[name] ?? null) as Cell);
export const signed = (row: CellsOfRow, name: string): Uint | undefined => fromSigned((row[name] ?? null) as Cell);

export function uints(row: CellsOfRow, name: string): Uint[] {
  const cell = row[name];
  if (cell instanceof Uint8Array) return unpackUints(cell);
  return (items(row, name) as readonly bigint[]).map((each) => exactUint(BigInt.asUintN(64, each)));
}

/** A list: of PostgreSQL or DuckDB, or as JSON. */
export function items(row: CellsOfRow, name: string): readonly unknown[] {
  const cell = row[name];
  if (typeof cell === 'string') return storedJson(cell) as readonly unknown[];
  return Array.isArray(cell) ? cell : ((cell as { readonly items?: readonly unknown[] } | null)?.items ?? []);
}

/**
 * A column of an amount, or a sum of such columns: in two halves (SQLite, as `name_high` and `name_low`), with all digits as a text
 * (PostgreSQL), or as an integer of 128 bits (DuckDB).
 */
export function amountCell(row: CellsOfRow, name: string): Uint {
  const cell = row[name];
  if (cell === undefined) return fromHalves(row[`${name}_high`] as Cell, row[`${name}_low`] as Cell);
  if (typeof cell === 'bigint') return cell < 0n ? (fromInteger(cell) ?? 0) : amountOf(cell);
  if (typeof cell === 'string') return cell.length <= SAFE_DIGITS ? Number(cell) : amountOf(BigInt(cell));
  return typeof cell === 'number' ? amountOf(cell) : 0;
}

/** JSON that the store wrote, with all digits of its numbers. */
export const storedJson = (text: string): unknown => (mayLoseDigits(text) ? readSonarJson(text) : JSON.parse(text));
