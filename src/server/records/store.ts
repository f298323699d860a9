import { createChangeLog, type ChangeLog } from '../store/changes.ts';
import type { Checkpoints } from '../store/checkpoints.ts';
import type { Acknowledged } from '../store/commit-count.ts';
import type { Database } from '../store/database.ts';
import { createFind, type Find } from './find.ts';
import { migrateDatabase } from '../store/migrate.ts';
import { createPruner } from '../store/prune.ts';
import { createLimitCounts, type LimitCounts, type ServerLimits } from './limits/limit-counts.ts';
import { createReleases, type Releases } from './edges/release.ts';
import { createWindows, type Windows } from '../store/rows.ts';
import { type SliceLimits, usualLimits } from '../store/slice-limits.ts';
import { createStoredReplies, type StoredReplies } from '../store/stored-replies.ts';
import { createSharedTurns, type Turns } from '../store/turn.ts';
import { createWorks, type Works } from '../store/work.ts';

/** The basis of every module of the server. */
export interface Store {
  readonly db: Database;
  readonly turns: Turns;
  readonly changes: ChangeLog;
  readonly replies: StoredReplies;
  readonly releases: Releases;
  readonly works: Works;
  readonly windows: Windows;
  readonly find: Find;
  /** Limits on what jobs hold at a time. */
  readonly limitCounts: LimitCounts;
  /** How much is done at a time. */
  readonly limits: SliceLimits;
  /** Removes rows that the change log need not keep, until `isStopped`; resolves with the number of rows. */
  readonly prune: (isStopped?: () => boolean) => Promise<number>;
  /** What is done now and then while the server runs. */
  readonly chores: (() => Promise<unknown>)[];
  /** Unix milliseconds. */
  readonly now: () => number;
  /** By how much that clock was set since the store was opened, in milliseconds. */
  readonly clockSetMs: () => number;
}

export interface RecordStoreOptions {
  readonly now: () => number;
  /** Milliseconds since the machine started, also while it was suspended; without it, changes of the clock are not noticed. */
  readonly uptimeMs?: (() => number) | undefined;
  readonly onBroken: (error: unknown) => void;
  /** Called when another program took the lock of the file, and when the lock is free again. */
  readonly onLock?: ((isLocked: boolean) => void) | undefined;
  /** Called for errors in background work. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** What copies the write-ahead log into the file; without it, SQLite does at the end of a commit. */
  readonly checkpoints?: Checkpoints | undefined;
  /** Where the number of acknowledged commits is written; without it, nowhere. */
  readonly acknowledged?: Acknowledged | undefined;
  /** What all jobs, and those of each user, may hold at a time; without it, nothing limits them. */
  readonly jobLimits?: ServerLimits | undefined;
  /** How much is done at a time; there are defaults. */
  readonly limits?: SliceLimits | undefined;
}

/**
 * The store over an open database, with its tables migrated.
 *
 * `onBroken` is called once, when the disk failed during a commit: nothing may be acknowledged after that.
 */
export function createStore(db: Database, options: RecordStoreOptions): Store {
  const { now, onBroken, onLock, onError = rethrow, checkpoints, acknowledged, limits = usualLimits } = options;
  migrateDatabase(db);
  const changes = createChangeLog(db, now);
  const turns = createSharedTurns(db, changes, { onBroken, onLock, limits, checkpoints, acknowledged });
  // From here on nothing waits for a lock inside SQLite, which would block the event loop.
  db.run('pragma busy_timeout = 0');
  return storeOver(
    { db, turns, changes, now, uptimeMs: options.uptimeMs, jobLimits: options.jobLimits },
    limits,
    onError,
  );
}

type StoreParts = Pick<Store, 'db' | 'turns' | 'changes' | 'now'> & Pick<RecordStoreOptions, 'uptimeMs' | 'jobLimits'>;

/** The other parts of a store, over a connection and its writes. */
export function storeOver(
  { db, turns, changes, now, uptimeMs = now, jobLimits = NO_LIMITS }: StoreParts,
  limits: SliceLimits,
  onError: (error: unknown) => void,
): Store {
  const releases = createReleases({ db, changes, turns }, limits, onError);
  const startedMs = now() - uptimeMs();
  return {
    db,
    turns,
    changes,
    replies: createStoredReplies(db, now),
    releases,
    // Work may leave jobs whose dependents are to be released.
    works: createWorks(db, turns, { onError, onSettled: releases.begin, sliceMs: limits.sliceMs }),
    windows: createWindows(db, limits),
    find: createFind(db),
    limitCounts: createLimitCounts({ db, changes, turns }, jobLimits),
    limits,
    prune: createPruner(db, { turns, changes, now }),
    chores: [],
    now,
    clockSetMs: () => now() - uptimeMs() - startedMs,
  };
}

const NO_LIMITS: ServerLimits = { all: {}, eachUser: {} };

const rethrow = (error: unknown): never => {
  throw error;
};
