import { lockedRefusal } from './busy.ts';
import type { Acknowledged } from './commit-count.ts';
import type { Database } from './database.ts';
import type { ChangeLog } from './changes.ts';
import type { Checkpoints } from './checkpoints.ts';
import { type About, createHeldWorkflows, type Hold } from './held-workflows.ts';
import { type SliceLimits, usualLimits } from './slice-limits.ts';
import { createTransaction, type Done } from './transaction.ts';

/**
 * Group commit: all writes that arrive in one iteration of the event loop share one transaction.
 *
 * Each write is a synchronous function, executed in a savepoint of that transaction; one that throws is rolled back
 * alone. No request is answered before the commit, so acknowledged data is on disk. If the commit fails, the disk has
 * failed: no write of the iteration is acknowledged, and `onBroken` ends the server, because a second commit could
 * succeed without the data.
 *
 * Another program may hold the lock of the file, for instance a backup. Then the transaction has not begun: it is tried
 * again after a pause, and the event loop continues meanwhile. A write that has waited for its time limit is refused.
 *
 * A transaction ends after some milliseconds (`slice-limits.ts`), and the remaining writes are in the next one: so the
 * event loop answers reads and accepts requests in between, however many writes are waiting. Work that takes longer is
 * executed in slices (`work.ts`), and locks its workflow meanwhile: other writes to it wait until the work is done.
 *
 * Another thread copies the write-ahead log into the database file, and sometimes writes wait for it (`checkpoints.ts`).
 *
 * Figures: one commit with a sync costs about 40 µs here; 50 connections that write at once share it.
 */
export interface Turns {
  /**
   * Executes `work` in the next shared transaction and resolves when it is on disk.
   *
   * Rejects with `DATABASE_LOCKED` if another program holds the lock for longer than `patienceMs`; without it, there is
   * no limit.
   */
  write<T>(work: () => T, patienceMs?: number, about?: About): Promise<T>;
  /**
   * The same for work that is not acknowledged before a later `write`: if a transaction has no other write, its commit
   * does not wait for the disk. A commit that does makes all earlier ones durable too, and none is ever on disk without
   * those before it.
   */
  writeSoon<T>(work: () => T): Promise<T>;
  /**
   * Writes that wait for the next transactions. None while there is no transaction, because another program has the lock: the time
   * that a write waits for it begins with the request, however many wait.
   */
  readonly waiting: number;
  /** When the present transaction should end, on the clock of `performance.now()`. */
  readonly deadline: number;
  /** From now on other writes to the workflow wait; compatible ones wait only for a `whole` lock. */
  hold(workflowId: number, kind: Hold): void;
  /** Lets the waiting writes to the workflow continue. */
  release(workflowId: number): void;
  /** The database is not to be trusted any more: no write is acknowledged from now on. */
  fail(error: unknown): void;
  /** Resolves when nothing is waiting, and all clients have been notified. */
  idle(): Promise<void>;
}

/**
 * How long a request waits while another program holds the lock: most locks are short, and its client waits as long.
 */
export const LOCK_PATIENCE_MS = 5_000;
/** Pauses between two attempts, doubling in between. Longer ones would leave the file unused after the lock is free. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

interface Waiting {
  readonly work: () => unknown;
  readonly about: About | undefined;
  readonly isSoon?: boolean;
  readonly untilMs: number;
  readonly resolve: (value: never) => void;
  readonly reject: (reason: unknown) => void;
}

export interface TurnOptions {
  readonly onBroken: (error: unknown) => void;
  /** Called when another program took the lock of the file, and when the lock is free again. */
  readonly onLock?: ((isLocked: boolean) => void) | undefined;
  readonly limits?: Pick<SliceLimits, 'turnMs'> | undefined;
  readonly checkpoints?: Pick<Checkpoints, 'afterCommit'> | undefined;
  readonly acknowledged?: Pick<Acknowledged, 'write'> | undefined;
}

export function createSharedTurns(
  db: Database,
  changes: ChangeLog,
  { onBroken, onLock = () => {}, limits: { turnMs } = usualLimits, checkpoints, acknowledged }: TurnOptions,
): Turns {
  const transaction = createTransaction(db, changes);
  const held = createHeldWorkflows<Waiting>();
  let waiting: Waiting[] = [];
  let broken: unknown;
  let isPublishing = false;
  /** The last pause before the next attempt; 0 while no other program holds the lock. */
  let pauseMs = 0;
  let isPaused = false;
  let isScheduled = false;
  let deadline = 0;

  const schedule = () => {
    if (isScheduled || isPaused) return;
    isScheduled = true;
    setImmediate(flush);
  };

  /** Carries out what fits into the time of a transaction; the rest is in the next one. */
  const together = (turn: readonly Waiting[]): Done<Waiting>[] =>
    transaction.together(turn, (entry, done) => {
      if (held.park(entry)) return 'not';
      if (done === 0 || performance.now() <= deadline) return 'now';
      waiting = [...turn.slice(turn.indexOf(entry)), ...waiting];
      return 'end';
    });

  const carryOut = (turn: readonly Waiting[]): Done<Waiting>[] => {
    const [only] = turn;
    if (turn.length !== 1 || only === undefined) return together(turn);
    return held.park(only) ? together([]) : [transaction.alone(only)];
  };

  const fail = (error: unknown) => {
    if (broken !== undefined) return;
    broken = error;
    for (const { reject } of waiting.splice(0)) reject(error);
    onBroken(error);
  };

  const flush = () => {
    isScheduled = false;
    const turn = waiting;
    waiting = [];
    if (broken !== undefined) {
      for (const { reject } of turn) reject(broken);
      return;
    }
    deadline = performance.now() + turnMs;
    let done: Done<Waiting>[];
    try {
      transaction.sync(!turn.every(({ isSoon }) => isSoon === true));
      if (!hasBegun()) return waitForLock(turn);
      done = carryOut(turn);
      // Data committed into a file that no longer has a name is lost.
      db.assertInPlace();
      if (transaction.isSynced) acknowledged?.write(transaction.commits);
    } catch (error) {
      waiting = [...turn, ...waiting];
      transaction.abandon();
      fail(error);
      return;
    }
    for (const [{ resolve, reject }, outcome] of done) {
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value as never);
    }
    waitForCheckpoint();
    if (waiting.length > 0) schedule();
    // Replies come first: a job that waits for one starts sooner than a client of the event stream gets it. Changes
    // that are not on disk yet are sent after the next commit that is.
    if (!transaction.isSynced) return;
    isPublishing = true;
    setImmediate(publish);
  };

  const waitForCheckpoint = () => {
    const copied = checkpoints?.afterCommit();
    if (copied === undefined) return;
    isPaused = true;
    void copied.then(() => {
      isPaused = false;
      if (waiting.length > 0) schedule();
    });
  };

  /** Begins the transaction; false if another program holds the lock. */
  const hasBegun = (): boolean => {
    if (!transaction.begin()) return false;
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
    write: (work, patienceMs = Infinity, about) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, about, untilMs: performance.now() + patienceMs, resolve, reject });
        schedule();
      }),
    writeSoon: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, about: undefined, isSoon: true, untilMs: Infinity, resolve, reject });
        schedule();
      }),
    get waiting() {
      return isPaused ? 0 : waiting.length;
    },
    get deadline() {
      return deadline;
    },
    fail,
    hold: held.hold,
    release(workflowId) {
      const parked = held.release(workflowId);
      if (parked.length === 0) return;
      waiting = [...parked, ...waiting];
      schedule();
    },
    idle: async () => {
      const untilMs = performance.now() + LOCK_PATIENCE_MS;
      while (waiting.length > 0 || isPublishing) {
        if (isPaused && performance.now() > untilMs) return;
        await new Promise((resolve) => void (isPaused ? setTimeout(resolve, FIRST_PAUSE_MS) : setImmediate(resolve)));
      }
    },
  };
}
