import { Refusal } from '../../core/contract/refusals.ts';
import { type Database, isBusy } from './database.ts';
import type { ChangeLog } from './changes.ts';

/**
 * Group commit: all writes that arrive in one turn of the event loop share one transaction.
 *
 * Each write is a synchronous function, run in a savepoint of that transaction; one that throws is rolled back alone.
 * Nobody is answered before the commit, so what was acknowledged is on disk. When the commit itself fails the disk has
 * failed: nothing of the turn is acknowledged and `onBroken` ends the server, for a second try could pretend.
 *
 * Another program may hold the lock of the file, for instance a backup. Then nothing of the turn has begun: it is tried again
 * after a pause, and the event loop goes on meanwhile. Who has waited for as long as they said is refused.
 *
 * Figures: one commit with a sync costs about 40 µs here; 50 connections that write at once share it.
 */
export interface Turns {
  /**
   * Runs `work` in the next shared transaction and resolves when it is on disk.
   *
   * Rejects with `DATABASE_LOCKED` when another program holds the lock for longer than `patienceMs`, without an end unless said.
   */
  write<T>(work: () => T, patienceMs?: number): Promise<T>;
  /** Resolves when nothing is waiting, and listeners have been told. */
  idle(): Promise<void>;
}

/** How long a request waits while another program holds the lock: most are short, and its client waits as long. */
export const LOCK_PATIENCE_MS = 5_000;
/** Pauses between two attempts, doubling in between. Longer ones would let the file lie idle after the lock is gone. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

interface Waiting {
  readonly work: () => unknown;
  readonly untilMs: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

type Outcome = { readonly value: unknown } | { readonly error: unknown };

export function createTurns(
  db: Database,
  changes: ChangeLog,
  onBroken: (error: unknown) => void,
  onLock: (isLocked: boolean) => void = () => {},
): Turns {
  const statement = (sql: string) => db.prepare(sql);
  const begin = statement('begin immediate');
  const commit = statement('commit');
  const rollback = statement('rollback');
  const savepoint = statement('savepoint entry');
  const release = statement('release entry');
  const rollbackTo = statement('rollback to entry');

  let waiting: Waiting[] = [];
  let broken: unknown;
  let isPublishing = false;
  /** The last pause before the next attempt; 0 while nobody else holds the lock. */
  let pauseMs = 0;
  let isPaused = false;

  const attempt = ({ work }: Waiting): Outcome => {
    savepoint.run({});
    const mark = changes.mark();
    try {
      const value = work();
      release.run({});
      return { value };
    } catch (error) {
      rollbackTo.run({});
      release.run({});
      changes.forgetSince(mark);
      return { error };
    }
  };

  const together = (turn: readonly Waiting[]): Outcome[] => {
    const outcomes = turn.map(attempt);
    commit.run({});
    return outcomes;
  };

  /** A savepoint costs a fifth of a small turn, and one write that has the transaction for itself needs none. */
  const alone = ({ work }: Waiting): Outcome => {
    const mark = changes.mark();
    let value: unknown;
    try {
      value = work();
    } catch (error) {
      rollback.run({});
      changes.forgetSince(mark);
      return { error };
    }
    commit.run({});
    return { value };
  };

  const flush = () => {
    const turn = waiting;
    waiting = [];
    if (broken !== undefined) {
      for (const { reject } of turn) reject(broken);
      return;
    }
    let outcomes: Outcome[];
    try {
      if (!hasBegun()) {
        waitForLock(turn);
        return;
      }
      outcomes = turn.length === 1 ? [alone(turn[0] as Waiting)] : together(turn);
      // What was committed into a file that has no name any more is lost.
      db.assertInPlace();
    } catch (error) {
      broken = error;
      for (const { reject } of turn) reject(error);
      try {
        rollback.run({});
      } catch {
        // The transaction is gone already; the first error is the one that matters.
      }
      onBroken(error);
      return;
    }
    for (const [index, { resolve, reject }] of turn.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value as never);
    }
    // Those who asked come first: a job that waits for its answer starts sooner than a listener is told of it.
    isPublishing = true;
    setImmediate(publish);
  };

  /** Begins the transaction; false when another program holds the lock. */
  const hasBegun = (): boolean => {
    try {
      begin.run({});
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    if (pauseMs > 0) onLock(false);
    pauseMs = 0;
    return true;
  };

  const waitForLock = (turn: readonly Waiting[]) => {
    if (pauseMs === 0) onLock(true);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs === 0 ? FIRST_PAUSE_MS : pauseMs * 2);
    const nowMs = performance.now();
    const isLate = ({ untilMs }: Waiting) => untilMs <= nowMs;
    for (const { reject } of turn.filter(isLate)) reject(lockedRefusal());
    waiting = [...turn.filter((each) => !isLate(each)), ...waiting];
    if (waiting.length > 0) {
      isPaused = true;
      setTimeout(() => {
        isPaused = false;
        flush();
      }, pauseMs);
    }
  };

  const publish = () => {
    isPublishing = false;
    changes.publish();
  };

  return {
    write: (work, patienceMs = Infinity) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, untilMs: performance.now() + patienceMs, resolve, reject });
        if (waiting.length === 1 && !isPaused) setImmediate(flush);
      }),
    idle: async () => {
      const untilMs = performance.now() + LOCK_PATIENCE_MS;
      while (waiting.length > 0 || isPublishing) {
        if (isPaused && performance.now() > untilMs) return;
        await new Promise((resolve) => void (isPaused ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
      }
    },
  };
}

/** The answer while another program holds the lock. */
export const lockedRefusal = (cause?: unknown): Refusal =>
  new Refusal(
    'DATABASE_LOCKED',
    'another program holds the lock of the database file; nothing was changed',
    { retry_after_seconds: 1 },
    { cause },
  );
