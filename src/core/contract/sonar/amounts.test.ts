import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AmountMean, exactSum, minus, plus, times } from './amounts.ts';
import { exactUint, GREATEST_UINT } from './extended-uint.ts';

/** Small ones, and those around the limits of numbers and of amounts. */
const amount = fc
  .oneof(
    fc.nat().map(BigInt),
    fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }),
    fc.bigInt({ min: 0n, max: GREATEST_UINT }),
    fc.constant(GREATEST_UINT),
  )
  .map(exactUint);
const limited = (value: bigint) => exactUint(value > GREATEST_UINT ? GREATEST_UINT : value);

test('sums, differences and products of amounts are those of integers without a limit, up to 2^64 - 1', () => {
  fc.assert(
    fc.property(amount, amount, (one, other) => {
      const [a, b] = [BigInt(one), BigInt(other)];
      expect(plus(one, other)).toBe(limited(a + b));
      expect(times(one, other)).toBe(limited(a * b));
      expect(minus(one, other)).toBe(exactUint(a - b));
      expect(minus(exactSum(one, other), other)).toBe(one);
    }),
  );
});

test('the mean of amounts is between the least and the greatest, and that of one amount is the amount', () => {
  fc.assert(
    fc.property(fc.array(amount, { minLength: 1 }), (amounts) => {
      const value = new AmountMean(amounts.map((each) => [each, 1])).value ?? -1;
      expect(amounts.some((each) => each <= value) && amounts.some((each) => each >= value)).toBe(true);
    }),
  );
  for (const only of [7, 2 ** 53 - 1, GREATEST_UINT]) expect(new AmountMean([[only, 3]]).value).toBe(only);
  expect(new AmountMean().value).toBeUndefined();
});
