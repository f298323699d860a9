import { atMoment } from '../../client/long-timers.ts';
import { steadyNow, timeOfDay } from '../../client/steady-clock.ts';
import type { Log } from '../facts/log.ts';
import { type Deadline, deadlineOf } from './deadline.ts';

export interface TimeLimitOptions {
  /** Moments of `steadyNow`. */
  readonly startedAtMs: number;
  readonly endAtMs: number;
  readonly headroomSeconds: number;
  readonly leadSeconds: number;
  /** Asks for the seconds that are left as it is now; without it the end stays. May reject. */
  readonly ask: (() => Promise<number | undefined>) | undefined;
  readonly log: Log;
  /** The end has changed. */
  readonly onChanged: (endAtMs: number) => void;
  /** It is time to end the jobs. */
  readonly onDue: (deadline: Deadline) => void;
}

/** Slurm serves all users of a cluster, and hundreds of runners may ask. */
const ASK_MS = 5 * 60_000;
/** The answer takes up to five seconds. */
const BEFORE_DUE_MS = 10_000;
/** Slurm prints whole seconds. */
const LEAST_CHANGE_MS = 2_000;

export type TimeLimit = ReturnType<typeof createTimeLimit>;

/**
 * The time limit of a runner.
 *
 * Administrators lengthen and shorten allocations while they run, so the end is asked for now and then, and before the
 * jobs are ended. An end that cannot be read leaves the last one.
 */
export function createTimeLimit(options: TimeLimitOptions) {
  const { startedAtMs, headroomSeconds, leadSeconds, ask, log, onChanged, onDue } = options;
  let deadline = deadlineOf(startedAtMs, options.endAtMs, headroomSeconds, leadSeconds);
  let due: { cancel(): void } | undefined;
  let next: { cancel(): void } | undefined;
  let isOver = false;

  const arm = () => {
    due?.cancel();
    due = atMoment(deadline.askAtMs, () => {
      isOver = true;
      next?.cancel();
      onDue(deadline);
    });
  };

  const reread = async (read: () => Promise<number | undefined>) => {
    const leftSeconds = await read().catch((error: Error) => {
      log.write('debug', 'The end of the allocation could not be read again', { reason: error.message });
      return undefined;
    });
    if (isOver) return;
    const endAtMs = leftSeconds === undefined ? undefined : steadyNow() + leftSeconds * 1000;
    if (endAtMs !== undefined && Math.abs(endAtMs - deadline.endAtMs) >= LEAST_CHANGE_MS) {
      log.write('info', 'The end of the allocation has changed', {
        from: timeOfDay(deadline.endAtMs).toISOString(),
        to: timeOfDay(endAtMs).toISOString(),
      });
      deadline = deadlineOf(startedAtMs, endAtMs, headroomSeconds, leadSeconds);
      onChanged(endAtMs);
      arm();
    }
    schedule(read);
  };

  const schedule = (read: () => Promise<number | undefined>) => {
    const now = steadyNow();
    const beforeDue = deadline.askAtMs - BEFORE_DUE_MS;
    const at = now < beforeDue ? Math.min(now + ASK_MS, beforeDue) : now + ASK_MS;
    next = atMoment(at, () => void reread(read));
  };

  return {
    get deadline() {
      return deadline;
    },
    begin() {
      arm();
      if (ask !== undefined) schedule(ask);
    },
    close() {
      isOver = true;
      due?.cancel();
      next?.cancel();
    },
  };
}
