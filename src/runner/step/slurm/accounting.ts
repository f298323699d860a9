import { after, type Timer } from '../../../client/long-timers.ts';
import { type AccountedStep, isFinal } from '../../../cluster/slurm/sacct.ts';
import type { AllocationSteps } from '../../../cluster/slurm/steps.ts';
import type { Log } from '../../facts/log.ts';
import type { StepId } from '../../../core/contract/files/job.ts';

/** A step whose row did not arrive in time for its completion, or whose row is to be stored. */
export interface Late {
  readonly row: AccountedStep | undefined;
  /** Whether the completion was reported without the row. */
  readonly wasMissing: boolean;
}

/** Long enough for Slurm, which has a State after 0.1 to 0.25 s; too long, and jobs that depend on a step wait for nothing. */
const STATE_MS = 2_000;
const STATE_POLL_MS = 200;
/** An answer with several rows is followed by a longer pause: a call takes 5 ms of CPU time here, and as much of slurmdbd. */
const MOST_ROWS_PAUSED = 5;
/** Torc's rhythm for figures. */
const LATE_TRIES = 6;
const LATE_POLL_MS = 5_000;
/** Steps in a row without a row, after which completions do not wait any more. */
const GIVE_UP_AFTER = 3;

interface Waiting {
  readonly sinceMs: number;
  resolve: ((row: AccountedStep | undefined) => void) | undefined;
  late: (late: Late) => void;
  readonly hasLate: Promise<Late>;
  wasMissing: boolean;
  tries: number;
}

export interface AccountingOptions {
  readonly steps: Pick<AllocationSteps, 'accounted'>;
  /** Whether other steps run: then a row may come with theirs. */
  readonly areMoreRunning: () => boolean;
  readonly log: Log;
}

/**
 * Asks the accounting for the rows of ended steps: one call at a time, for all of them.
 *
 * A completion waits for the State of its step, for `STATE_MS` at most. A row that comes later is delivered by `later`; after
 * the last try without one, `row` is undefined. If the accounting answers nothing about several steps in a row, it is not
 * waited for any more.
 */
export function createAccounting({ steps, areMoreRunning, log }: AccountingOptions) {
  const waiting = new Map<StepId, Waiting>();
  const lates = new Map<StepId, Promise<Late>>();
  let missed = 0;
  let isReported = false;
  let isAsking: Promise<void> | undefined;
  let timer: Timer | undefined;
  /** When the timer asks, on the monotonic clock. */
  let dueAt = 0;
  /** Rows that the last answer had for completions. */
  let found = 0;
  let isOpen = true;
  /** The last question got no answer. */
  let isAway = false;

  const ask = async (): Promise<void> => {
    let rows: ReadonlyMap<StepId, AccountedStep> = new Map();
    try {
      rows = await steps.accounted();
      isAway = false;
    } catch (error) {
      isAway = true;
      log.write('debug', 'The accounting of Slurm did not answer', { reason: (error as Error).message });
    }
    const nowMs = performance.now();
    found = 0;
    for (const [id, each] of waiting) {
      const row = rows.get(id);
      if (row !== undefined && isFinal(row)) {
        missed = 0;
        found += 1;
        reportRow(id, each, row);
      } else if (each.resolve === undefined) {
        each.tries += 1;
        if (each.tries >= LATE_TRIES) reportRow(id, each, row);
      } else if (nowMs - each.sinceMs >= STATE_MS) giveUp(each);
    }
  };

  const reportRow = (id: StepId, each: Waiting, row: AccountedStep | undefined) => {
    const { resolve } = each;
    waiting.delete(id);
    each.resolve = undefined;
    resolve?.(row);
    each.late({ row, wasMissing: each.wasMissing });
  };

  /** The completion goes on without a row. */
  const giveUp = (each: Waiting) => {
    const { resolve } = each;
    each.resolve = undefined;
    each.wasMissing = true;
    missed += 1;
    if (missed >= GIVE_UP_AFTER && !isReported) {
      isReported = true;
      log.write(
        'warn',
        'The accounting of Slurm has nothing about the last steps; results do not wait for it any more',
        {
          steps: missed,
        },
      );
    }
    resolve?.(undefined);
  };

  /** How long a completion that waits now has to wait for the next call. */
  const pauseMs = (): number => {
    if (![...waiting.values()].some(({ resolve }) => resolve !== undefined)) return LATE_POLL_MS;
    return areMoreRunning() ? STATE_POLL_MS * Math.min(Math.max(found, 1), MOST_ROWS_PAUSED) : STATE_POLL_MS;
  };

  const disarm = () => {
    timer?.cancel();
    timer = undefined;
  };

  const arm = () => {
    if (!isOpen || isAsking !== undefined || waiting.size === 0) return;
    const pause = pauseMs();
    // A timer is never put off: where steps end more often than that, it would never be due.
    if (timer !== undefined && dueAt <= performance.now() + pause) return;
    disarm();
    dueAt = performance.now() + pause;
    timer = after(pause, () => {
      timer = undefined;
      isAsking = ask().finally(() => {
        isAsking = undefined;
        arm();
      });
    });
  };

  return {
    /** The row of a step that has ended; undefined if it does not come in time. Never rejects. */
    rowOf(id: StepId): Promise<AccountedStep | undefined> {
      let late: (late: Late) => void = () => {};
      const hasLate = new Promise<Late>((resolve) => void (late = resolve));
      lates.set(id, hasLate);
      return new Promise((resolve) => {
        const each: Waiting = { sinceMs: performance.now(), resolve, late, hasLate, wasMissing: false, tries: 0 };
        waiting.set(id, each);
        if (missed >= GIVE_UP_AFTER) giveUp(each);
        arm();
        // sacct may hang: the completion waits no longer than for a State.
        if (each.resolve !== undefined) setTimeout(() => each.resolve && giveUp(each), STATE_MS).unref();
      });
    },
    /** Resolves when a row has come late, or will not come. */
    later(id: StepId): Promise<Late> {
      const late = lates.get(id) ?? Promise.resolve({ row: undefined, wasMissing: false });
      lates.delete(id);
      return late;
    },
    /** Asks a last time for what is missing, and waits no longer. */
    async finish() {
      disarm();
      if (waiting.size === 0) return;
      await isAsking;
      disarm();
      // An allocation is not kept for an accounting that does not answer.
      if (waiting.size > 0 && !isAway) await ask();
      for (const [id, each] of waiting) reportRow(id, each, undefined);
    },
    close() {
      isOpen = false;
      disarm();
    },
  };
}
