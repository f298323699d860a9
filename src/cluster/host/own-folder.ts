import { lstatSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A folder of this machine that only this user can write in: in /run for root, for others that of their session, or one
 * below the temporary folder. Undefined where there is none, or where another user made it.
 */
export function ownFolder(): string | undefined {
  const user = process.getuid?.();
  if (user === undefined) return undefined;
  const candidates = user === 0 ? ['/run/torc'] : [`/run/user/${user}/torc`, join(tmpdir(), `torc-${user}`)];
  return candidates.find((folder) => isOwnFolder(folder, user));
}

/** Whether a folder, which is made if it is not there, is this user's, and no other user can write in it. */
export function isOwnFolder(folder: string, user = process.getuid?.()): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === user && (found.mode & 0o022) === 0;
}
