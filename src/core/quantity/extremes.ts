/**
 * The greatest of some numbers, or `least` where all are smaller or there is none.
 *
 * `Math.max(...numbers)` does the same for few numbers and overflows the stack with some 120,000: each is an argument.
 */
export function greatest(numbers: Iterable<number>, least = -Infinity): number {
  let most = least;
  for (const each of numbers) most = Math.max(most, each);
  return most;
}

/** The smallest of some numbers, or `most` where all are greater or there is none. */
export function smallest(numbers: Iterable<number>, most = Infinity): number {
  let least = most;
  for (const each of numbers) least = Math.min(least, each);
  return least;
}
