import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { fromStoredJson, packUints, toInteger, unpackUints } from './numbers.ts';

/** Small ones, those around what one byte more holds, and those that only a bigint holds. */
const uint = fc.oneof(
  fc.nat(300),
  fc.tuple(fc.integer({ min: 1, max: 64 }), fc.integer({ min: -1, max: 1 })).map(([bits, more]) => {
    const value = 2n ** BigInt(bits) + BigInt(more);
    return value < 2n ** 64n ? value : 2n ** 64n - 1n;
  }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const exact = (value: number | bigint): Uint =>
  BigInt(value) <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : BigInt(value);

it('a list of unsigned integers of 64 bits is unpacked as it was packed, a number where that is exact', () => {
  fc.assert(
    fc.property(fc.array(uint, { minLength: 1 }), (values) => {
      const list = values.map(exact);
      expect(unpackUints(packUints(list))).toEqual(list);
    }),
  );
});

it('an empty list takes no bytes, and no bytes are an empty list', () => {
  expect(packUints([])).toBeNull();
  expect(unpackUints(null)).toEqual([]);
});

it('a stored integer is read from JSON alike as a number and as a text, negative or not', () => {
  fc.assert(
    fc.property(uint, (value) => {
      const stored = String(toInteger(exact(value)) ?? 0);
      expect(fromStoredJson(stored)).toBe(exact(value));
      if (Number.isSafeInteger(Number(stored))) expect(fromStoredJson(Number(stored))).toBe(exact(value));
    }),
  );
});
