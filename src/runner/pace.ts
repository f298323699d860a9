/**
 * When a runner speaks to the server, and how far ahead it takes jobs. Pure: figures in, milliseconds and counts out.
 *
 * One rule gives both throughput and latency: what happened is gathered as long as the local queue can keep the slots
 * busy, and told at once when a slot has nothing to do.
 */

/**
 * While the queue is full. An exchange costs server and runner together 1.5 ms besides its jobs, so 20 ms between two would
 * cost 0.1 ms a job, a twentieth of the rate; the figures stand in docs/adr/0014.
 */
export const GATHER_MS = 50;
/**
 * While the queue holds no more jobs than there are slots, and there may be more: soon slots would be idle. Without hope of
 * jobs, as for the start of a job in a chain, haste would only keep the line busy when the end of the job wants it.
 */
export const GATHER_LOW_MS = 2;
/** Most jobs that are taken ahead. More only keeps them from other runners. */
export const MOST_AHEAD = 128;
/** Jobs that take longer than this are not taken ahead at all: another runner may be free before we are. */
const LONGEST_AHEAD_MS = 250;

export interface Situation {
  /** Jobs that wait in the local queue. */
  readonly queued: number;
  /** Could another job be started now, if there was one? */
  readonly hasRoom: boolean;
  /** Jobs that run at once at the moment, or could. */
  readonly slots: number;
  /** Is there something that the server does not know: a start, an end, a job given back? */
  readonly hasNews: boolean;
  /** Has something happened that may have made jobs ready: an end, a wake-up, a lost answer? */
  readonly workMayBeReady: boolean;
}

/** Milliseconds until the next exchange; undefined when there is no reason for one. */
export function nextExchange({ queued, hasRoom, slots, hasNews, workMayBeReady }: Situation): number | undefined {
  if (hasRoom && queued === 0 && workMayBeReady) return 0;
  if (!hasNews) return undefined;
  return queued <= slots && workMayBeReady ? GATHER_LOW_MS : GATHER_MS;
}

/**
 * How many jobs to hold ahead of the free slots: what ends in two intervals at the recent rate.
 *
 * `endsPerSecond` is the recent rate; with few jobs a second there is time to ask for each.
 */
export function aheadOf(endsPerSecond: number, slots: number): number {
  if (endsPerSecond <= 0 || (slots * 1000) / endsPerSecond > LONGEST_AHEAD_MS) return 0;
  return Math.min(MOST_AHEAD, Math.ceil((2 * GATHER_MS * endsPerSecond) / 1000));
}

export interface Waiting {
  readonly baseMs: number;
  readonly capMs: number;
  readonly lastMs: number;
  readonly madeProgress: boolean;
  readonly hasChildren: boolean;
}

/** The longest that a runner without children is silent, so that it sees the end of its workflow. */
const IDLE_CLAMP_MS = 30_000;

/**
 * How long a runner waits that hears nothing from the server: the fallback for when there is no event stream.
 *
 * The base after progress; doubling up to the cap while children run and nothing happens; without children never more
 * than 30 s, for then no child can wake it. A cap below the base is the base.
 */
export function nextPoll({ baseMs, capMs, lastMs, madeProgress, hasChildren }: Waiting): number {
  if (!hasChildren) return Math.min(baseMs, IDLE_CLAMP_MS);
  if (madeProgress) return baseMs;
  return Math.min(Math.max(lastMs, baseMs) * 2, Math.max(capMs, baseMs));
}

/** Ends a second over about the last second, and forgetting: a long pause brings it to zero. */
export function createRate(): { ended(count: number, nowMs: number): void; perSecond(nowMs: number): number } {
  let rate = 0;
  let since: number | undefined;
  let count = 0;
  const settle = (nowMs: number) => {
    if (since === undefined) return;
    const elapsed = nowMs - since;
    if (elapsed < WINDOW_MS) return;
    const weight = Math.exp(-elapsed / MEMORY_MS);
    rate = rate * weight + ((count * 1000) / elapsed) * (1 - weight);
    since = nowMs;
    count = 0;
  };
  return {
    ended(more, nowMs) {
      since ??= nowMs;
      count += more;
      settle(nowMs);
    },
    perSecond(nowMs) {
      settle(nowMs);
      return rate;
    },
  };
}

const WINDOW_MS = 50;
const MEMORY_MS = 200;
