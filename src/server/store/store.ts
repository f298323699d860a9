import { createChangeLog, type ChangeLog } from './changes.ts';
import type { Database } from './database.ts';
import { createFind, type Find } from './find.ts';
import { migrate } from './migrate.ts';
import { createPruner } from './prune.ts';
import { createReleases, type Releases } from './release.ts';
import { createWindows, type Windows } from './rows.ts';
import { type SliceLimits, usualLimits } from './slice-limits.ts';
import { createStoredReplies, type StoredReplies } from './stored-replies.ts';
import { createTurns, type Turns } from './turn.ts';
import { createWorks, type Works } from './work.ts';

/** What every slice stands on. */
export interface Store {
  readonly db: Database;
  readonly turns: Turns;
  readonly changes: ChangeLog;
  readonly replies: StoredReplies;
  readonly releases: Releases;
  readonly works: Works;
  readonly windows: Windows;
  readonly find: Find;
  /** Removes what the log of changes need not keep, until `isStopped`; resolves with the number of rows. */
  readonly prune: (isStopped?: () => boolean) => Promise<number>;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export interface StoreOptions {
  readonly now: () => number;
  readonly onBroken: (error: unknown) => void;
  /** Hears that another program took the lock of the file, and that it is gone. */
  readonly onLock?: ((isLocked: boolean) => void) | undefined;
  /** Hears of errors in work that nobody waits for. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** How much is done at a time; the usual unless said. */
  readonly limits?: SliceLimits | undefined;
}

/**
 * The store over an open database, its tables brought up to date.
 *
 * `onBroken` is called once, when the disk failed under a commit: nothing may be acknowledged after that.
 */
export function createStore(db: Database, options: StoreOptions): Store {
  const { now, onBroken, onLock, onError = rethrow, limits = usualLimits } = options;
  migrate(db);
  const changes = createChangeLog(db, now);
  const turns = createTurns(db, changes, onBroken, onLock, limits);
  // From here on nothing waits for a lock inside of the database: that would hold the event loop.
  db.run('pragma busy_timeout = 0');
  return storeOver({ db, turns, changes, now }, limits, onError);
}

/** Everything else of a store, over a connection and what writes through it. */
export function storeOver(
  { db, turns, changes, now }: Pick<Store, 'db' | 'turns' | 'changes' | 'now'>,
  limits: SliceLimits,
  onError: (error: unknown) => void,
): Store {
  const releases = createReleases({ db, changes, turns }, limits, onError);
  return {
    db,
    turns,
    changes,
    replies: createStoredReplies(db, now),
    releases,
    // Work may leave jobs behind whose dependants are to be released.
    works: createWorks(db, turns, { onError, onSettled: releases.begin, sliceMs: limits.sliceMs }),
    windows: createWindows(db, limits),
    find: createFind(db),
    prune: createPruner(db, { turns, changes, now }),
    now,
  };
}

const rethrow = (error: unknown): never => {
  throw error;
};
