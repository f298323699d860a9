import { setTimeout } from 'node:timers/promises';
import type { StoreDatabase } from '../sqlite/database.ts';
import { SAMPLE_TABLES } from '../sqlite/prune.ts';

export interface DeleteLimits {
  /** Envelopes of one transaction: others that write wait for no longer than that takes. */
  readonly sliceEnvelopes?: number;
  /** The write-ahead log is emptied beyond this: too small costs syncs, too large costs disk. */
  readonly logBytes?: number;
  /** How long a reader that keeps the log from being emptied is waited for. */
  readonly patienceMs?: number;
}

/** Pages that are given back at once: 4 MB. */
const PAGES = 1024;
/** How often a reader is asked for: most questions take less than a second. */
const POLL_MS = 100;

/**
 * Deletes the rows of archived envelopes in slices, and gives their pages back to the disk.
 *
 * SQLite cannot empty its log while a reader has an older state of the store, and each slice adds to it: a reader that
 * stayed during the deletion of 11.5 million rows made it 4.4 GB. So beyond `logBytes` the deletion waits for readers, and after
 * `patienceMs` it ends: the rows left are invisible and listed in `leftover`, and the next close deletes them.
 */
export async function deleteLeftovers(
  db: StoreDatabase,
  {
    sliceEnvelopes = 500,
    logBytes = 64 * 1024 * 1024,
    patienceMs = 30_000,
    onSlice = () => {},
  }: DeleteLimits & { readonly onSlice?: () => void } = {},
): Promise<void> {
  const hasRoom = () => hasRoomInLog(db, logBytes, patienceMs);
  while (deleteSlice(db, sliceEnvelopes)) {
    onSlice();
    if (!(await hasRoom())) return;
  }
  // Also what an earlier deletion that ended early has left free.
  while (db.shrink(PAGES)) if (!(await hasRoom())) return;
}

/** False if nothing was left to delete. */
function deleteSlice(db: StoreDatabase, envelopes: number): boolean {
  const ids = db.all('select envelope from leftover limit ?', envelopes);
  if (ids.length === 0) return false;
  db.transaction(() => {
    for (const { envelope } of ids) {
      for (const table of SAMPLE_TABLES) db.run(`delete from ${table} where envelope = ?`, envelope ?? null);
      db.run('delete from leftover where envelope = ?', envelope ?? null);
    }
  });
  return true;
}

async function hasRoomInLog(db: StoreDatabase, logBytes: number, patienceMs: number): Promise<boolean> {
  for (let waitedMs = 0; db.logBytes() > logBytes && !db.cutLog(); waitedMs += POLL_MS) {
    if (waitedMs >= patienceMs) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}
