import { accessSync, constants, copyFileSync, existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { privateFolder } from '../../cluster/private-folder.ts';
import { refuseForeign } from '../../server/store/own.ts';
import { Failure } from '../command/failure.ts';

/** A database on a read-only medium, as a copy of which reading commands are answered. */
export interface ReadOnlyCopy {
  readonly database: string;
  remove(): void;
}

/**
 * A copy of a database whose file system is read-only: SQLite needs files beside it, also to read. Undefined
 * for every other database.
 *
 * Throws `NOT_TRUSTED` as an open of the original would, and a `Failure` where there is no room for the copy.
 */
export function readOnlyCopy(database: string, trustsOwner: boolean): ReadOnlyCopy | undefined {
  if (!existsSync(database) || !isReadOnly(dirname(database))) return undefined;
  if (!trustsOwner) refuseForeign(database);
  const folder = privateFolder('torc-read-');
  const copy = join(folder, basename(database));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    // The log has what was not written to the file yet.
    for (const end of ['', '-wal'])
      if (existsSync(database + end)) copyFileSync(database + end, copy + end, constants.COPYFILE_FICLONE);
  } catch (cause) {
    remove();
    throw new Failure(
      `${database} is on a read-only file system, and a copy to read it cannot be made in ${folder}: ${(cause as Error).message}; set TMPDIR to a folder with more room`,
      { cause },
    );
  }
  return { database: copy, remove };
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}
