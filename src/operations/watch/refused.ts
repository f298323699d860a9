import type { Refusal } from '../../core/contract/refusals.ts';

/** Rounds that were refused one after another. */
export interface Refused {
  /** The reason, without the seconds of the lease that are left. */
  readonly words: string;
  readonly lastMs: number;
  readonly waitedMs: number;
}

/**
 * How long a watch waits for its turn.
 *
 * Shorter than the minute of a lease, and a watch gives up while the lease of a suspended one runs out. Too long, and a person learns
 * late that another command has been at work for as long as this.
 */
const MOST_MS = 600_000;
/** What lies between two looks beyond this was no waiting: this process was suspended itself. */
const MOST_BETWEEN_MS = 60_000;

export function refusedAgain(before: Refused | undefined, { message }: Refusal, nowMs: number): Refused {
  const between = before === undefined ? 0 : Math.min(nowMs - before.lastMs, MOST_BETWEEN_MS);
  return {
    words: message.replace(/ in \d+ s\b/, ''),
    lastMs: nowMs,
    waitedMs: (before?.waitedMs ?? 0) + between,
  };
}

export const isRefusedForLong = ({ waitedMs }: Refused): boolean => waitedMs >= MOST_MS;
