/**
 * The greatest of some numbers, or `least` if all are smaller or there are none.
 *
 * `Math.max(...numbers)` overflows the stack with about 120,000 numbers, because each is an argument.
 */
export function greatest(numbers: Iterable<number>, least = -Infinity): number {
  let most = least;
  for (const each of numbers) most = Math.max(most, each);
  return most;
}

/** The smallest of some numbers, or `most` if all are greater or there are none. */
export function smallest(numbers: Iterable<number>, most = Infinity): number {
  let least = most;
  for (const each of numbers) least = Math.min(least, each);
  return least;
}
