import type { Running } from './under-way.ts';

/**
 * A place is a lease that attempts have one after the other: the first of them runs, the others were sent ahead and start in turn,
 * without asking the runner. The last one that leaves it returns the lease.
 */

/** Attempts that wait behind one that runs. With one, a slot is idle while the next is on its way; more only wait longer. */
export const MOST_BEHIND = 2;

/** The attempt gets the place of another one when that has ended. */
export function follow(before: Running, attempt: Running): void {
  before.follower = attempt;
  attempt.before = before;
}

/** An attempt leaves its place; true if no attempt is left in it. */
export function leave(attempt: Running): boolean {
  const { before, follower } = attempt;
  if (before !== undefined) before.follower = follower;
  if (follower !== undefined) follower.before = before;
  attempt.before = undefined;
  attempt.follower = undefined;
  return before === undefined && follower === undefined;
}

/** How many attempts have this place before it. */
export const behindOf = ({ before }: Pick<Running, 'before'>): number =>
  before === undefined ? 0 : 1 + behindOf(before);
