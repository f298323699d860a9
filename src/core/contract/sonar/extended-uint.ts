import type { Uint } from './kinds.ts';

/** The greatest number of 64 bits. */
export const GREATEST_UINT = 2n ** 64n - 1n;

/** An unsigned number that may also be unset or infinite. */
export type ExtendedUint = Uint | 'unset' | 'infinite';

/** A bigint only where a number would lose digits. */
export const exactUint = (value: bigint): Uint =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER) ? Number(value) : value;

/**
 * The representation in the format: 0 for unset, 1 for infinite, and 2 added to all other values.
 *
 * Throws: RangeError for a value above 2^64 - 3, which has no representation.
 */
export function encodeExtended(value: ExtendedUint): Uint {
  if (value === 'unset') return 0;
  if (value === 'infinite') return 1;
  const encoded = BigInt(value) + 2n;
  if (encoded < 2n || encoded > GREATEST_UINT)
    throw new RangeError(`${value} has no representation: expected 0 to 18446744073709551613`);
  return exactUint(encoded);
}

/** The value that a number of the format represents; an absent one is unset. */
export function decodeExtended(encoded: Uint | undefined): ExtendedUint {
  if (encoded === undefined || BigInt(encoded) === 0n) return 'unset';
  return BigInt(encoded) === 1n ? 'infinite' : exactUint(BigInt(encoded) - 2n);
}
