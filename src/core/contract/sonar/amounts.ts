import { exactUint, GREATEST_UINT } from './extended-uint.ts';
import type { Uint } from './kinds.ts';

/**
 * Arithmetic with amounts: memory, counters and whatever else the format has as an unsigned integer of 64 bits.
 *
 * An amount has all its digits, from 0 to 2^64 - 1. A sum that would be greater is 2^64 - 1, so that every answer fits the type
 * of the format. Doubles have 53 bits: a single wrong counter of 2^64 - 1 would take the digits of all others in its sum.
 * Amounts are numbers as long as these are exact, because bigints are slow.
 */

/** A number of any size as an amount. */
export function amountOf(value: Uint): Uint {
  if (typeof value === 'number' && value <= Number.MAX_SAFE_INTEGER) return value;
  const exact = integerOf(value);
  return exact > GREATEST_UINT ? GREATEST_UINT : exactUint(exact);
}

/** What was added up by a store may have a fraction. */
const integerOf = (value: Uint): bigint => (typeof value === 'number' ? BigInt(Math.round(value)) : value);

export const plus = (one: Uint, other: Uint): Uint => amountOf(exactSum(one, other));

/** The sum where parts of it are taken off again: it has no limit. */
export function exactSum(one: Uint, other: Uint): Uint {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (sum <= Number.MAX_SAFE_INTEGER && sum >= -Number.MAX_SAFE_INTEGER) return sum;
  }
  return exactUint(integerOf(one) + integerOf(other));
}

/** The difference, which may be negative. */
export const minus = (one: Uint, other: Uint): Uint =>
  typeof other === 'number' ? exactSum(one, -other) : exactUint(integerOf(one) - other);

/** An integer that keeps its digits in sums. */
export const rounded = (value: Uint): Uint => exactUint(integerOf(value));

/** The product, with the limit of a sum. */
export function times(one: Uint, other: Uint): Uint {
  const product = Number(one) * Number(other);
  return product <= Number.MAX_SAFE_INTEGER ? product : amountOf(integerOf(one) * integerOf(other));
}

export const sumOf = <Item>(items: Iterable<Item>, amount: (item: Item) => Uint): Uint => {
  let sum: Uint = 0;
  for (const item of items) sum = plus(sum, amount(item));
  return sum;
};

export const greater = (one: Uint, other: Uint): Uint => (one > other ? one : other);

export const greatestOf = <Item>(items: Iterable<Item>, amount: (item: Item) => Uint): Uint => {
  let greatest: Uint = 0;
  for (const item of items) greatest = greater(greatest, amount(item));
  return greatest;
};

/** The mean of amounts: of those above 2^53, to the next integer. */
export function meanOf<Item>(items: readonly Item[], amount: (item: Item) => Uint): Uint {
  return new AmountMean(items.map((item): [Uint, number] => [amount(item), 1])).value ?? 0;
}

/** The mean of amounts that each count so many times. Their sum is exact, and may be greater than an amount. */
export class AmountMean {
  #sum: Uint = 0;
  #count = 0;

  constructor(values: Iterable<readonly [amount: Uint, times: number]> = []) {
    for (const [amount, times] of values) this.add(amount, times);
  }

  add(amount: Uint, times: number): void {
    const part = typeof amount === 'number' ? amount * times : undefined;
    if (part !== undefined && typeof this.#sum === 'number' && part + this.#sum <= Number.MAX_SAFE_INTEGER)
      this.#sum += part;
    else this.#sum = integerOf(this.#sum) + integerOf(amount) * BigInt(times);
    this.#count += times;
  }

  /** Undefined without a value. */
  get value(): Uint | undefined {
    if (this.#count === 0) return undefined;
    if (typeof this.#sum === 'number') return this.#sum / this.#count;
    const count = BigInt(this.#count);
    return exactUint((this.#sum + count / 2n) / count);
  }
}
