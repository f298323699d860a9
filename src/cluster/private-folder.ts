import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isOpenToAll } from './trust.ts';

/**
 * Makes a folder of this user alone for temporary files, below TMPDIR, and returns its path. The caller removes it.
 *
 * Where everybody may replace the folders in TMPDIR, another user could put one in the place of ours: then it is below /tmp.
 * Throws the error of the system, and an error where both are so.
 */
export function privateFolder(prefix: string, mostBytes = Infinity): string {
  const folder = [resolve(tmpdir()), '/tmp'].find((each) => Buffer.byteLength(each) <= mostBytes && !isOpenToAll(each));
  if (folder === undefined)
    throw new Error(`everybody may replace the folders in ${tmpdir()} and in /tmp: set TMPDIR to a folder of yours`);
  return mkdtempSync(join(folder, prefix));
}
