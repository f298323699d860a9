import type { ColumnValue } from '../../store/database.ts';
import { PAGE_BYTES } from './pages.ts';

/** Throws for bytes that are no row. */
class Unreadable extends Error {}

/** A number of 1 to 9 bytes, and the place behind it. Throws where the bytes end before it does. */
export function varintAt(bytes: Buffer, at: number): readonly [value: bigint, end: number] {
  let value = 0n;
  for (let index = 0; index < 9; index += 1) {
    const byte = bytes[at + index];
    if (byte === undefined) throw new Unreadable('a number is cut off');
    if (index === 8) return [BigInt.asIntN(64, (value << 8n) | BigInt(byte)), at + 9];
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return [value, at + index + 1];
  }
  throw new Unreadable('a number is too long');
}

/** Reads a page of overflow. */
type ReadPage = (number: number) => Buffer | undefined;

/**
 * The content of a cell whose first bytes stand in a page, and the rest, where it is long, in a chain of further pages, which `overflow` names.
 * `isTable`: of a leaf of a table, which keeps more of it in its page than an index.
 */
export function payloadAt(
  page: Buffer,
  { at, sizeBytes, isTable }: { readonly at: number; readonly sizeBytes: number; readonly isTable: boolean },
  read: ReadPage,
): { readonly payload: Buffer; readonly overflow: readonly number[] } {
  const most = isTable ? PAGE_BYTES - 35 : Math.floor(((PAGE_BYTES - 12) * 64) / 255) - 23;
  if (sizeBytes <= most) {
    if (at + sizeBytes > PAGE_BYTES) throw new Unreadable('a row leaves its page');
    return { payload: page.subarray(at, at + sizeBytes), overflow: [] };
  }
  const least = Math.floor(((PAGE_BYTES - 12) * 32) / 255) - 23;
  const surplus = least + ((sizeBytes - least) % (PAGE_BYTES - 4));
  const local = surplus <= most ? surplus : least;
  if (sizeBytes > MOST_BYTES || at + local + 4 > PAGE_BYTES) throw new Unreadable('a row leaves its page');
  const parts = [page.subarray(at, at + local)];
  const overflow: number[] = [];
  let next = page.readUInt32BE(at + local);
  for (let left = sizeBytes - local; left > 0; left -= PAGE_BYTES - 4) {
    const more = next === 0 || overflow.includes(next) ? undefined : read(next);
    if (more === undefined) throw new Unreadable('a part of a row is missing');
    overflow.push(next);
    parts.push(more.subarray(4, Math.min(PAGE_BYTES, 4 + left)));
    next = more.readUInt32BE(0);
  }
  if (next !== 0) throw new Unreadable('a row has parts behind its end');
  return { payload: Buffer.concat(parts), overflow };
}

/** SQLite's own bound of a row. */
const MOST_BYTES = 1_000_000_000;

/** The values of a row. Throws for a payload whose types and lengths do not fill it exactly. */
export function valuesIn(payload: Buffer): ColumnValue[] {
  const [head, first] = varintAt(payload, 0);
  const begin = Number(head);
  const types: number[] = [];
  let at = first;
  while (at < begin) {
    const [type, end] = varintAt(payload, at);
    types.push(Number(type));
    at = end;
  }
  if (at !== begin || begin > payload.length) throw new Unreadable('the head of a row has another length');
  const values = types.map((type) => {
    const from = at;
    at += bytesOf(type);
    if (at > payload.length) throw new Unreadable('a value is cut off');
    return valueIn(payload.subarray(from, at), type);
  });
  if (at !== payload.length) throw new Unreadable('a row is longer than its values');
  return values;
}

const FIXED = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function bytesOf(type: number): number {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  if (type < 12) throw new Unreadable('a value has a type that SQLite does not use');
  return (type - (type % 2 === 0 ? 12 : 13)) / 2;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function valueIn(bytes: Buffer, type: number): ColumnValue {
  if (type === 0) return null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 8 || type === 9) return type - 8;
  if (type === 6) {
    const value = bytes.readBigInt64BE(0);
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  if (type < 6) return bytes.readIntBE(0, bytes.length);
  return type % 2 === 0 ? bytes : utf8.decode(bytes);
}
