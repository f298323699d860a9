import {
  closeSync,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { syncToDisk } from '../../cluster/sync-to-disk.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { isDatabaseDamage } from '../store/damage.ts';
import { isOlderAllowed } from '../store/migrate.ts';
import { migrations } from '../store/migrations.gen.ts';
import { ownDatabase } from '../store/own.ts';
import { openForBackup } from './queries.ts';

/** What is in a copy. */
export interface BackedUp {
  readonly workflows: number;
  readonly jobs: number;
  readonly sizeBytes: number;
}

/**
 * Copies a database, which a server may be using, as it is at one moment.
 *
 * The copy gets its name when it is complete, sound and on disk. Throws: `NOT_FOUND`, `BACKUP_REFUSED`, `DATABASE_DAMAGED`.
 */
export function backUp(database: string, output: string, isOverwriting: boolean): BackedUp {
  if (!existsSync(database)) throw new Refusal('NOT_FOUND', `there is no database ${database}`, { database });
  if (existsSync(output)) {
    if (realpathSync(output) === realpathSync(database))
      throw new Refusal('BACKUP_REFUSED', `${output} is the database itself`, { output });
    if (!isOverwriting)
      throw new Refusal('BACKUP_REFUSED', `${output} is there already; --overwrite replaces it`, { output });
  }
  const fresh = `${output}.${process.pid}.new`;
  try {
    rmSync(fresh, { force: true });
    // Only if no other process has created it meanwhile: SQLite would follow a link.
    closeSync(openSync(fresh, 'wx', 0o600));
    reading(database, (source) => source.copyTo(fresh));
    const found = inspected(fresh);
    syncToDisk(fresh);
    renameSync(fresh, output);
    return found;
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    const words = `cannot write ${output}: ${(error as Error).message}`;
    throw new Refusal('FILE_UNWRITABLE', words, { output }, { cause: error });
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** An error of the system, and of SQLite that a disk is full, fails or has no such folder. */
function isUnwritable(error: unknown): boolean {
  const { syscall, errcode } = error as { syscall?: string; errcode?: number };
  return syscall !== undefined || [10, 13, 14].includes((errcode ?? 0) % 256);
}

/** What a restore did. */
export interface Restored extends BackedUp {
  /** Where the database is now that was there before; undefined where there was none. */
  readonly before: string | undefined;
}

/** SQLite finds them by the name of the database. */
const BESIDE = ['-wal', '-shm', '-journal'];

/**
 * Puts a copy in the place of a database that no server uses. The one that was there is kept beside it.
 *
 * A kill leaves the database that was there, a database that servers refuse until this is repeated (`DATABASE_HAS_NAMES`), or the copy
 * in its place; never the log of the one beside the pages of the other, which SQLite would play back.
 * Throws: `NOT_FOUND`, `BACKUP_REFUSED`, `DATABASE_DAMAGED`, and the refusals of a server that starts there.
 */
export function restore(
  copy: string,
  database: string,
  now: Date,
  options: { readonly trustsOwner: boolean },
): Restored {
  if (!existsSync(copy)) throw new Refusal('NOT_FOUND', `there is no file ${copy}`, { copy });
  const wasThere = existsSync(database);
  if (wasThere && realpathSync(copy) === realpathSync(database))
    throw new Refusal('BACKUP_REFUSED', `${copy} is the database itself`, { copy });
  const found = inspected(copy);
  // A restore that was killed has left a second name of the old database.
  if (wasThere) removeSecondName(realpathSync(database));
  const owned = ownDatabase(database, process.pid, options);
  const real = realpathSync(database);
  const fresh = `${real}.${process.pid}.new`;
  try {
    reading(copy, (source) => source.copyTo(fresh));
    syncToDisk(fresh);
    const before = wasThere ? `${real}${BEFORE}${now.toISOString().replaceAll(/[-:.]/g, '')}` : undefined;
    // Servers refuse a database with two names: none sees it without its log.
    if (before !== undefined) linkSync(real, before);
    for (const end of BESIDE) move(`${real}${end}`, before === undefined ? undefined : `${before}${end}`);
    renameSync(fresh, real);
    for (const end of ['-commits', '-damaged'])
      move(`${real}${end}`, before === undefined ? undefined : `${before}${end}`);
    return { ...found, before };
  } catch (error) {
    if (!wasThere) rmSync(real, { force: true });
    throw error;
  } finally {
    rmSync(fresh, { force: true });
    owned.release();
  }
}

function move(path: string, target: string | undefined): void {
  if (!existsSync(path)) return;
  if (target === undefined) rmSync(path);
  else renameSync(path, target);
}

/** Gives the database a file of its own again, where the file before a restore is another name of it. */
function removeSecondName(real: string): void {
  const { ino, nlink } = statSync(real);
  const begin = `${basename(real)}${BEFORE}`;
  const others = readdirSync(dirname(real)).filter((name) => name.startsWith(begin));
  if (nlink < 2 || others.every((name) => statSync(join(dirname(real), name)).ino !== ino)) return;
  const fresh = `${real}.${process.pid}.own`;
  copyFileSync(real, fresh);
  syncToDisk(fresh);
  renameSync(fresh, real);
}

const BEFORE = '-before-restore-';

function reading<T>(path: string, work: (source: ReturnType<typeof openForBackup>) => T): T {
  let source: ReturnType<typeof openForBackup> | undefined;
  try {
    source = openForBackup(path);
    return work(source);
  } catch (error) {
    if (!isDatabaseDamage(error) || error instanceof Refusal) throw error;
    throw new Refusal(
      'DATABASE_DAMAGED',
      `${path} is damaged: ${(error as Error).message}`,
      { path },
      { cause: error },
    );
  } finally {
    source?.close();
  }
}

/** What is in a copy that this torc can use. */
function inspected(path: string): BackedUp {
  return reading(path, (source) => {
    const version = source.version();
    if (version === 0) throw new Refusal('BACKUP_REFUSED', `${path} is not a database of this torc-server`, { path });
    if (version > migrations.length && !isOlderAllowed(source.oldest()))
      throw new Refusal(
        'DATABASE_FROM_FUTURE',
        `the database ${path} has version ${version}; this torc knows versions up to ${migrations.length}`,
        { path },
      );
    const faults = source.faults();
    if (faults.length > 0) throw new Refusal('DATABASE_DAMAGED', `${path} is damaged: ${faults.join('; ')}`, { path });
    return { workflows: source.count('workflow'), jobs: source.count('job'), sizeBytes: statSync(path).size };
  });
}
