import type { Family } from './family.ts';

// Torc repeats a mistake for every instance; a hundred lines are enough to see which they are.
const MOST_LINES = 100;

/** A sentence about each instance of a family: the first as the message, the next ones as what Torc would add. */
export function aboutEach<S>(
  family: Family<S>,
  sentence: (name: string) => string,
): { readonly message: string; readonly echoes?: readonly string[] } {
  const message = sentence(family.name.render(0));
  if (family.count < 2) return { message };
  const others = Math.min(family.count, MOST_LINES) - 1;
  return { message, echoes: Array.from({ length: others }, (_, index) => sentence(family.name.render(index + 1))) };
}
