import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import type { Database } from './store/database.ts';

/**
 * Copies a database in memory to a file, keeping `keep` copies: `path`, `path.1` and so on, newest first.
 *
 * The copy is written beside its destination and moved there, so that the file at `path` is always complete.
 */
export function snapshot(db: Database, path: string, keep: number): void {
  const fresh = `${path}.new`;
  rmSync(fresh, { force: true });
  // Created here, and only if no other process has created it meanwhile: SQLite would follow a link, and let every user read
  // the file.
  closeSync(openSync(fresh, 'wx', 0o600));
  db.prepare<{ fresh: string }>('vacuum into :fresh').run({ fresh });
  for (let age = keep - 1; age >= 1; age -= 1) {
    const younger = age === 1 ? path : `${path}.${age - 1}`;
    if (existsSync(younger)) renameSync(younger, `${path}.${age}`);
  }
  renameSync(fresh, path);
}
