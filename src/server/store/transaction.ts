import { isBusy } from './busy.ts';
import type { ChangeLog } from './changes.ts';
import { createCommitCount } from './commit-count.ts';
import { isDatabaseDamage } from './damage.ts';
import type { Database } from './database.ts';

type WriteOutcome = { readonly value: unknown } | { readonly error: unknown };

/** A write with what came of it; it is on disk when the transaction is. */
export type Done<Write> = readonly [Write, WriteOutcome];

/** The shared transaction: it begins, carries out writes of which each may fail alone, and is committed with them. */
export interface Transaction {
  /** False if another program holds the lock of the file. */
  begin(): boolean;
  /** Whether the next commits wait for the disk. */
  sync(isWanted: boolean): void;
  readonly isSynced: boolean;
  /** Carries out a write that has the transaction for itself, and commits or rolls back. */
  alone<Write extends Work>(write: Write): Done<Write>;
  /** Carries out writes in their order until one is not wanted any more, and commits; those after it are not touched. */
  together<Write extends Work>(
    writes: readonly Write[],
    isWanted: (write: Write, done: number) => WriteChoice,
  ): Done<Write>[];
  /** The number of commits that changed something, ever. */
  readonly commits: number;
  /** After an error that leaves the database in doubt. */
  abandon(): void;
}

interface Work {
  readonly work: () => unknown;
}

/** Whether a write is carried out now, left out, or ends the transaction before it. */
type WriteChoice = 'now' | 'not' | 'end';

export function createTransaction(db: Database, changes: ChangeLog): Transaction {
  const statement = (sql: string) => db.prepare(sql);
  const begin = statement('begin immediate');
  const commit = statement('commit');
  const counted = createCommitCount(db);
  const commitCounted = () => {
    changes.write();
    counted.count();
    commit.run({});
  };
  const rollback = statement('rollback');
  const savepoint = statement('savepoint entry');
  const release = statement('release entry');
  const rollbackTo = statement('rollback to entry');
  let isSynced = true;

  /** False where the database has rolled the transaction back already; the first error is the one that matters. */
  const isRun = (statement: typeof rollback): boolean => {
    try {
      statement.run({});
      return true;
    } catch {
      return false;
    }
  };

  const attempt = (work: () => unknown): WriteOutcome => {
    savepoint.run({});
    const mark = changes.mark();
    try {
      const value = work();
      release.run({});
      return { value };
    } catch (error) {
      changes.forgetSince(mark);
      // A full disk has rolled the whole transaction back, with the writes before this one. A damaged file gets no further write.
      if (isDatabaseDamage(error) || !isRun(rollbackTo)) throw error;
      release.run({});
      return { error };
    }
  };

  return {
    begin() {
      try {
        begin.run({});
        return true;
      } catch (error) {
        if (isBusy(error)) return false;
        throw error;
      }
    },
    sync(isWanted) {
      if (isWanted === isSynced) return;
      db.run(`pragma synchronous = ${isWanted ? 'full' : 'normal'}`);
      isSynced = isWanted;
    },
    get isSynced() {
      return isSynced;
    },
    /** A savepoint costs a fifth of a small transaction, and a single write in it needs none. */
    alone(write) {
      const mark = changes.mark();
      let value: unknown;
      try {
        value = write.work();
      } catch (error) {
        changes.forgetSince(mark);
        if (isDatabaseDamage(error) || !isRun(rollback)) throw error;
        return [write, { error }];
      }
      commitCounted();
      return [write, { value }];
    },
    together(writes, isWanted) {
      const done: [(typeof writes)[number], WriteOutcome][] = [];
      for (const write of writes) {
        const wanted = isWanted(write, done.length);
        if (wanted === 'end') break;
        if (wanted === 'now') done.push([write, attempt(write.work)]);
      }
      commitCounted();
      return done;
    },
    get commits() {
      return counted.commits;
    },
    abandon() {
      isRun(rollback);
    },
  };
}
