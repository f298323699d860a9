import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { whyNotTrusted } from '../../cluster/trust.ts';
import { Failure } from '../command/failure.ts';

/** The database of a command is missing, and the command makes none. */
export class MissingDatabase extends Failure {}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Refuses a database that is missing, and names the one of the same path in a folder above.
 *
 * A command that needs what is in a database would make an empty one in the wrong folder, and answer that there is nothing.
 * The database above is not opened: its user names it with `--db`, so that no command uses another folder than it says.
 */
export function refuseMissing(database: string, environment: Environment, trustsOwner: boolean): void {
  if (!isMissing(database)) return;
  const above = databaseAbove(database, environment['HOME'] || homedir(), trustsOwner);
  throw new MissingDatabase(
    above === undefined
      ? `there is no database in ${database}; torc -s run FILE and torc -s create FILE make one, and --db names another`
      : `there is no database in ${database}; one is in ${dirname(above)}: name it with --db ${above}, or go to its folder`,
  );
}

/** A folder that this user may not enter may have one: SQLite says so. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTDIR';
  }
}

/**
 * The path of a database of this user in the folders above. The last folder that is looked at is the home folder, or outside of
 * it the last one that belongs to this user: in one such as /tmp any user can put a file.
 */
function databaseAbove(database: string, home: string, trustsOwner: boolean): string | undefined {
  if (isAbsolute(database)) return undefined;
  const here = resolve('.');
  for (let folder = here; folder !== home && folder !== dirname(folder);) {
    folder = dirname(folder);
    if (!isOwn(folder)) return undefined;
    const path = join(folder, database);
    if (isFile(path, trustsOwner)) return relative(here, path);
  }
  return undefined;
}

const isOwn = (folder: string): boolean => {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && stats.uid === process.getuid?.();
};

function isFile(path: string, trustsOwner: boolean): boolean {
  try {
    // It is not opened: what opens it refuses one that the group may write, where that matters.
    return statSync(path).isFile() && (trustsOwner || whyNotTrusted(path, { groupMayWrite: true }) === undefined);
  } catch {
    return false;
  }
}
