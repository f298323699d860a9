import { Thread } from '../../thread/thread.ts';
import type { Database } from './database.ts';

/**
 * Copies the write-ahead log into the database file, in another thread.
 *
 * SQLite does it by default at the end of a commit, in the thread that writes, and the event loop waits for the disk. Here
 * only writes wait: a commit beside the copy would wait for the same disk, and the log begins anew only when all of it was
 * copied.
 *
 * Measured with 15 s of random inserts on a slow disk: 60 waits of the event loop of more than 50 ms with SQLite's default,
 * 29 with the copy in another thread, 11 if the log may be four times as long; what is left is the sync of the log at
 * each commit.
 */
export interface Checkpoints {
  /** Called after each commit; the promise, if there is one, resolves when the next write may begin. */
  afterCommit(): Promise<void> | undefined;
  close(): Promise<void>;
}

export interface CheckpointLimits {
  /**
   * Pages that are not copied yet, from which on the thread copies: 16 MB. With SQLite's default of 4 MB a fifth fewer
   * rows are written, because pages that change often are copied more often.
   */
  readonly begin: number;
  /** Pages from which on SQLite copies in the thread that writes: if the other thread cannot, the log stays bounded. */
  readonly limit: number;
}

const usual: CheckpointLimits = { begin: 4_000, limit: 16_000 };

/** After this time without work the thread ends. Starting it takes 40 ms of CPU, so it should survive a busy period. */
const IDLE_MS = 10_000;

export function createCheckpoints(db: Database, path: string, limits: CheckpointLimits = usual): Checkpoints {
  db.run(`pragma wal_autocheckpoint = ${limits.limit}`);
  const thread = new Thread<undefined, unknown>('./checkpoint-worker', import.meta.url, {
    workerData: { path },
    idleMs: IDLE_MS,
  });
  let copying: Promise<void> | undefined;
  /** Pages in the log at the last attempt: a reader may prevent that all of them are copied. */
  let tried = 0;

  // An error means that the log is still as long as it was. The next attempt follows when it has grown, and beyond the
  // limit SQLite copies with the next commit.
  const done = () => {
    copying = undefined;
  };
  const copy = () => (copying = thread.ask(undefined).then(done, done));

  return {
    afterCommit() {
      if (copying !== undefined) return undefined;
      const { pages, copied } = db.logged() ?? { pages: 0, copied: 0 };
      if (pages < tried) tried = 0;
      if (pages - Math.max(copied, tried) < limits.begin) return undefined;
      tried = pages;
      return copy();
    },
    async close() {
      await copying;
      await thread.close();
    },
  };
}

type Notify = (words: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * Copies the whole log into the database at the end of a server, and empties it. False where the disk has no room for that:
 * the log stays, with every acknowledged change.
 */
export function emptyLog(db: Database, path: string, onNotice: Notify | undefined): boolean {
  try {
    db.run('pragma wal_checkpoint(truncate)');
    return true;
  } catch (error) {
    onNotice?.('The last changes stay in the log beside the database: keep it, the next server reads them', {
      log: `${path}-wal`,
      error: error instanceof Error ? error.message : String(error),
    });
    return false;
  }
}
