import { amountOf } from '../../../core/contract/sonar/amounts.ts';
import { exactUint } from '../../../core/contract/sonar/extended-uint.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';

/** Between numbers of the format and columns of the store. Statements that read return bigints. */

/** A column as it is read. */
export type Cell = bigint | number | string | Uint8Array | null;

const BITS = 64;

/** An unsigned integer of 64 bits as a signed one; the default is null. */
export function toInteger(value: Uint | undefined): number | bigint | null {
  if (value === undefined || value === 0) return null;
  return typeof value === 'number' ? value : BigInt.asIntN(BITS, value);
}

export const fromInteger = (cell: Cell): Uint | undefined =>
  typeof cell === 'bigint' ? exactUint(BigInt.asUintN(BITS, cell)) : undefined;

export const fromSigned = (cell: Cell): Uint | undefined => (typeof cell === 'bigint' ? exactUint(cell) : undefined);

/** What JSON of a store has: an unsigned integer of 64 bits as a signed one, or as the text of one. */
export function fromStoredJson(value: Uint | string | null): Uint {
  const short = typeof value === 'string' && value.length <= SAFE_DIGITS ? Number(value) : value;
  return typeof short === 'number' && short >= 0 ? short : exactUint(BigInt.asUintN(BITS, BigInt(value ?? 0)));
}

/** A number of so many digits is a safe integer. */
export const SAFE_DIGITS = 15;

const HALF = 2 ** 32;

export function fromHalves(high: Cell | undefined, low: Cell | undefined): Uint {
  const sum = Number(high ?? 0) * HALF + Number(low ?? 0);
  return sum <= Number.MAX_SAFE_INTEGER
    ? sum
    : amountOf(BigInt(high as bigint | number) * BigInt(HALF) + BigInt(low as bigint | number));
}

const THOUSAND = 1000;

/** A number with at most three decimals as an integer of thousandths, any other as it is; the default is null. */
export function toThousandths(value: number | undefined): bigint | number | null {
  if (value === undefined || value === 0) return null;
  const scaled = Math.round(value * THOUSAND);
  // A bigint is bound as an integer and a number as a float, so what is read says which of both it was.
  return Number.isSafeInteger(scaled) && scaled / THOUSAND === value ? BigInt(scaled) : value;
}

export const fromThousandths = (cell: Cell): number | undefined =>
  typeof cell === 'bigint' ? Number(cell) / THOUSAND : typeof cell === 'number' ? cell : undefined;

/** A list of unsigned integers in few bytes: seven bits a byte, the highest bit says that more follow. */
export function packUints(values: readonly Uint[] | undefined): Uint8Array | null {
  if (values === undefined || values.length === 0) return null;
  const bytes: number[] = [];
  for (const value of values) {
    if (typeof value === 'number') {
      let rest = value;
      while (rest >= 128) {
        bytes.push((rest % 128) + 128);
        rest = Math.floor(rest / 128);
      }
      bytes.push(rest);
    } else {
      let rest = value;
      while (rest >= 128n) {
        bytes.push(Number(rest & 127n) + 128);
        rest >>= 7n;
      }
      bytes.push(Number(rest));
    }
  }
  return Uint8Array.from(bytes);
}

export function unpackUints(cell: Cell): Uint[] {
  if (!(cell instanceof Uint8Array)) return [];
  const values: Uint[] = [];
  for (let at = 0; at < cell.length;) {
    const begin = at;
    let byte = cell[at++] as number;
    let value = byte & 127;
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = cell[at++] as number;
      value += (byte & 127) * factor;
    }
    values.push(at - begin <= EXACT_BYTES ? value : exactlyOf(cell.subarray(begin, at)));
  }
  return values;
}

/** What so many bytes hold is a safe integer: a bigint for each number takes ten times as long. */
const EXACT_BYTES = 7;

const exactlyOf = (bytes: Uint8Array): Uint =>
  exactUint(bytes.reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n));
