/**
 * When a runner sends an exchange, and how many jobs it claims ahead. Pure functions of figures.
 *
 * One rule gives both throughput and latency: entries are collected as long as the local queue keeps the slots busy,
 * and sent at once when a slot is idle.
 */

/**
 * The interval while the queue is full. An exchange costs server and runner together 1.5 ms in addition to its jobs, so
 * 20 ms between two would cost 0.1 ms a job, a twentieth of the rate; docs/adr/0001 has the figures.
 */
export const GATHER_MS = 50;
/**
 * The interval while the queue holds at most one job a slot and jobs may be ready: slots would soon be idle. If no job
 * can be ready, as after the start of a job in a chain, an early exchange would only delay the one that reports its
 * end.
 */
export const GATHER_LOW_MS = 2;
/** The maximum number of jobs claimed ahead. More would only keep them from other runners. */
export const MOST_AHEAD = 128;
/** Jobs that take longer than this are not claimed ahead: another runner may be free first. */
const LONGEST_AHEAD_MS = 250;

export interface Situation {
  /** Jobs that wait in the local queue. */
  readonly queued: number;
  /** Jobs that were claimed ahead: they keep slots busy without the server, too. */
  readonly ahead: number;
  /** Whether another job could be started now. */
  readonly hasRoom: boolean;
  /** Jobs that run at once now, or could. */
  readonly slots: number;
  /** Whether there are entries that the server does not know: a start, an end, a returned job. */
  readonly hasNews: boolean;
  /** Whether jobs may have become ready: by an end, a wake-up, a lost reply. */
  readonly workMayBeReady: boolean;
}

/** Milliseconds until the next exchange; undefined if there is no reason for one. */
export function nextExchange({
  queued,
  ahead,
  hasRoom,
  slots,
  hasNews,
  workMayBeReady,
}: Situation): number | undefined {
  if (hasRoom && queued === 0 && workMayBeReady) return 0;
  if (!hasNews) return undefined;
  return queued + ahead <= slots && workMayBeReady ? GATHER_LOW_MS : GATHER_MS;
}

/**
 * How many jobs to hold beyond the free slots: as many as end in two intervals at the recent rate, and one for each slot.
 *
 * An exchange is due as soon as no more than one job a slot is queued: without those, a runner with many slots and a low rate
 * would ask for nearly each job. `endsPerSecond` is the recent rate; with few jobs a second there is time to claim each.
 */
export function aheadOf(endsPerSecond: number, slots: number): number {
  if (endsPerSecond <= 0 || (slots * 1000) / endsPerSecond > LONGEST_AHEAD_MS) return 0;
  return Math.min(MOST_AHEAD, slots + Math.ceil((2 * GATHER_MS * endsPerSecond) / 1000));
}

export interface PollWait {
  readonly baseMs: number;
  readonly capMs: number;
  readonly lastMs: number;
  readonly madeProgress: boolean;
  readonly hasChildren: boolean;
}

/** The maximum interval of a runner without running jobs, so that it notices the end of its workflow. */
const IDLE_CLAMP_MS = 30_000;

/**
 * The polling interval of a runner that receives no events: the fallback without an event stream.
 *
 * The base after progress; doubled up to the cap while jobs run and nothing happens; without running jobs at most 30 s,
 * because then no end of a job wakes the runner. A cap below the base counts as the base.
 */
export function nextPoll({ baseMs, capMs, lastMs, madeProgress, hasChildren }: PollWait): number {
  if (!hasChildren) return Math.min(baseMs, IDLE_CLAMP_MS);
  if (madeProgress) return baseMs;
  return Math.min(Math.max(lastMs, baseMs) * 2, Math.max(capMs, baseMs));
}

/** Ends a second over about the last second; it decays to 0 in a long pause. */
export function createRate(): { ended(count: number, nowMs: number): void; perSecond(nowMs: number): number } {
  let rate = 0;
  let since: number | undefined;
  let count = 0;
  const decay = (nowMs: number) => {
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
      decay(nowMs);
    },
    perSecond(nowMs) {
      decay(nowMs);
      return rate;
    },
  };
}

const WINDOW_MS = 50;
const MEMORY_MS = 200;
