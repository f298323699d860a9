import { isBusy, lockedRefusal } from './busy.ts';
import type { Database } from './database.ts';
import type { ChangeLog } from './changes.ts';
import { type SliceLimits, usualLimits } from './slice-limits.ts';

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
 * A turn ends after some milliseconds (`slice-limits.ts`), and the writes that are left have the next one: so the event loop answers reads and accepts
 * requests in between, however many writes are waiting. Work that takes longer than a turn is done in slices
 * (`work.ts`), and holds its workflow meanwhile: other writes to it wait until the work is done.
 *
 * Figures: one commit with a sync costs about 40 µs here; 50 connections that write at once share it.
 */
export interface Turns {
  /**
   * Runs `work` in the next shared transaction and resolves when it is on disk.
   *
   * Rejects with `DATABASE_LOCKED` when another program holds the lock for longer than `patienceMs`, without an end unless said.
   */
  write<T>(work: () => T, patienceMs?: number, about?: About): Promise<T>;
  /**
   * The same for work that nobody is told of before a later `write`: where a turn has nothing else, its commit does not
   * wait for the disk. A commit that does makes all before it durable too, and none is ever there without those before it.
   */
  writeSoon<T>(work: () => T): Promise<T>;
  /** When the turn that is under way should end, on the clock of `performance.now()`. */
  readonly deadline: number;
  /** From now on other writes to the workflow wait; those that are compatible wait only for a `whole` hold. */
  hold(workflowId: number, kind: Hold): void;
  /** Lets the writes to the workflow go on that waited. */
  release(workflowId: number): void;
  /** Resolves when nothing is waiting, and listeners have been told. */
  idle(): Promise<void>;
}

/** How long a request waits while another program holds the lock: most are short, and its client waits as long. */
export const LOCK_PATIENCE_MS = 5_000;
/** Pauses between two attempts, doubling in between. Longer ones would let the file lie idle after the lock is gone. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/** `whole`: no other write to the workflow meanwhile. `releasing`: none that relies on the number of unmet dependencies. */
type Hold = 'whole' | 'releasing';

/** What a write is about, for those that have to wait while a workflow is held. */
export interface About {
  readonly workflowId: () => number | undefined;
  /** May it run while jobs are being released? */
  readonly isCompatible: boolean;
}

interface Waiting {
  readonly work: () => unknown;
  readonly about: About | undefined;
  readonly isSoon?: boolean;
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
  { turnMs }: Pick<SliceLimits, 'turnMs'> = usualLimits,
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
  let isScheduled = false;
  let deadline = 0;
  const held = new Map<number, { readonly kind: Hold; readonly parked: Waiting[] }>();

  const schedule = () => {
    if (isScheduled || isPaused) return;
    isScheduled = true;
    setImmediate(flush);
  };

  /** Puts a write aside whose workflow is held. Nearly always none is, and then nobody is asked which it is about. */
  const isParked = (entry: Waiting): boolean => {
    if (held.size === 0 || entry.about === undefined) return false;
    const hold = held.get(entry.about.workflowId() ?? -1);
    if (hold === undefined || (hold.kind === 'releasing' && entry.about.isCompatible)) return false;
    hold.parked.push(entry);
    return true;
  };

  let isSynced = true;
  const sync = (isWanted: boolean) => {
    if (isWanted === isSynced) return;
    db.run(`pragma synchronous = ${isWanted ? 'full' : 'normal'}`);
    isSynced = isWanted;
  };

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

  type Done = [Waiting, Outcome];

  const together = (turn: readonly Waiting[]): Done[] => {
    const done: Done[] = [];
    for (const [index, entry] of turn.entries()) {
      if (isParked(entry)) continue;
      if (done.length > 0 && performance.now() > deadline) {
        waiting = [...turn.slice(index), ...waiting];
        break;
      }
      done.push([entry, attempt(entry)]);
    }
    commit.run({});
    return done;
  };

  /** A savepoint costs a fifth of a small turn, and one write that has the transaction for itself needs none. */
  const alone = (entry: Waiting): Done[] => {
    const mark = changes.mark();
    const done: Done[] = [];
    try {
      if (!isParked(entry)) done.push([entry, { value: entry.work() }]);
    } catch (error) {
      rollback.run({});
      changes.forgetSince(mark);
      return [[entry, { error }]];
    }
    commit.run({});
    return done;
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
    let done: Done[];
    try {
      sync(!turn.every(({ isSoon }) => isSoon === true));
      if (!hasBegun()) {
        waitForLock(turn);
        return;
      }
      done = turn.length === 1 ? alone(turn[0] as Waiting) : together(turn);
      // What was committed into a file that has no name any more is lost.
      db.assertInPlace();
    } catch (error) {
      broken = error;
      for (const { reject } of [...turn, ...waiting.splice(0)]) reject(error);
      try {
        rollback.run({});
      } catch {
        // The transaction is gone already; the first error is the one that matters.
      }
      onBroken(error);
      return;
    }
    for (const [{ resolve, reject }, outcome] of done) {
      if ('error' in outcome) reject(outcome.error);
      else resolve(outcome.value as never);
    }
    if (waiting.length > 0) schedule();
    // Those who asked come first: a job that waits for its answer starts sooner than a listener is told of it.
    // What is not on disk yet is told with the next commit that is.
    if (!isSynced) return;
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
    get deadline() {
      return deadline;
    },
    hold(workflowId, kind) {
      held.set(workflowId, { kind, parked: held.get(workflowId)?.parked ?? [] });
    },
    release(workflowId) {
      const parked = held.get(workflowId)?.parked ?? [];
      held.delete(workflowId);
      if (parked.length === 0) return;
      waiting = [...parked, ...waiting];
      schedule();
    },
    idle: async () => {
      const untilMs = performance.now() + LOCK_PATIENCE_MS;
      while (waiting.length > 0 || isPublishing) {
        if (isPaused && performance.now() > untilMs) return;
        await new Promise((resolve) => void (isPaused ? setTimeout(resolve, pauseMs) : setImmediate(resolve)));
      }
    },
  };
}
