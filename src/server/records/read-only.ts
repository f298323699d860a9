import { createChangeLog } from '../store/changes.ts';
import { openDatabase } from '../store/database.ts';
import { usualLimits } from '../store/slice-limits.ts';
import { type Store, storeOver } from './store.ts';
import type { Turns } from '../store/turn.ts';

/** The store over a second connection to a database that another process writes. Nothing can be changed through it. */
export function openReadOnly(path: string): { readonly store: Store; readonly beginRead: () => () => void } {
  const db = openDatabase(path, { isReadOnly: true });
  const now = Date.now;
  const changes = createChangeLog(db, now);
  const turns: Turns = {
    write: () => Promise.reject(new Error('this connection is read-only')),
    idle: () => Promise.resolve(),
    writeSoon: () => Promise.reject(new Error('this connection is read-only')),
    waiting: 0,
    deadline: 0,
    hold() {},
    fail() {},
    release() {},
  };
  return {
    store: storeOver({ db, turns, changes, now }, usualLimits, () => {}),
    /** All reads until the end, which the result is, see one moment. */
    beginRead() {
      db.run('begin');
      return () => db.run('commit');
    },
  };
}
