/**
 * Unix milliseconds by a clock that cannot be set: the time of day when this process began, and what has passed since.
 *
 * For moments that this process compares with one another, such as the end of its time. A record, a log and another machine
 * get the time of day.
 */
export const steadyNow = (): number => performance.timeOrigin + performance.now();

/** That clock at a moment of `performance.now()`. */
export const steadyAt = (at: number): number => performance.timeOrigin + at;

/** The time of day of a moment of that clock. */
export const timeOfDay = (steadyMs: number): Date => new Date(Date.now() + steadyMs - steadyNow());
