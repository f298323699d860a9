import { closeSync, existsSync, openSync, realpathSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../cluster/make-folder.ts';
import { networkFileSystemOf } from '../../cluster/network-file-system.ts';
import { isOpenToAll, whyNotTrusted } from '../../cluster/trust.ts';
import { groupMayWrite } from '../../cluster/umask.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Reserves a database file for this process until the process ends in any way.
 *
 * Beside `torc.db` is `torc.db-owner`, a small separate database. The process with its write lock is the owner; the
 * kernel releases the lock with the process. It names the owner, and stays readable, so that a second server can name it in
 * its refusal. A server that ends removes the file; after a kill it is left, unlocked.
 *
 * The lock belongs to the file, not to the name: a symbolic link is followed, and a file with several names (hard
 * links) is refused, because SQLite finds the log of a database by its name. So is one that another user prepared, or may
 * change: a user who writes it decides which commands run (`NOT_TRUSTED`, see `refuseForeign`).
 */
export function ownDatabase(path: string, pid: number, { trustsOwner = false } = {}): { release(): void } {
  const folder = dirname(resolve(path));
  makeFolder(folder);
  refuseNetworkFileSystem(folder, path);
  if (!trustsOwner) refuseForeign(path);

  const name = `${fileOf(path)}-owner`;
  for (;;) {
    const made = madeLockFile(name);
    const lock = new DatabaseSync(name, { timeout: 200 });
    try {
      lock.exec('pragma journal_mode = memory');
      if (!lockAs(pid, lock, () => identityOf(name) === made)) {
        lock.close();
        continue;
      }
    } catch (cause) {
      if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
      const owner = readOwner(lock);
      lock.close();
      throw new Refusal(
        'DATABASE_IN_USE',
        owner === undefined
          ? `the database ${path} is in use by another torc-server`
          : `the database ${path} is in use by torc-server ${owner.pid} on ${owner.host}, since ${owner.since}`,
        { path, ...owner },
        { cause },
      );
    }
    return {
      release() {
        // While it is locked, so that a server that waits for it notices.
        if (identityOf(name) === made) rmSync(name, { force: true });
        lock.close();
      },
    };
  }
}

/**
 * Takes the write lock of a file that names this process as the owner. False where `isNamed` no longer holds: another
 * server removed the file, and a third may lock the next one of that name.
 *
 * The name of the owner is readable once it is committed, which gives the lock back: each time that it is taken, another
 * server may have had it and ended in between.
 */
function lockAs(pid: number, lock: DatabaseSync, isNamed: () => boolean): boolean {
  const since = new Date().toISOString();
  for (;;) {
    lock.exec('begin immediate');
    if (!isNamed()) return false;
    const owner = readOwner(lock);
    if (owner?.pid === pid && owner.since === since) return true;
    writeOwner(lock, pid, since);
    lock.exec('commit');
  }
}

/**
 * Says who has the lock, in a view of one row: a schema of one entry is on the first page of the file, so that one write
 * changes it, and a kill leaves the old entry or the new one. Without a journal, because a server that waits with a file
 * that has lost its name would take the journal for its own and play it back.
 */
function writeOwner(lock: DatabaseSync, pid: number, since: string): void {
  const found = lock.prepare("select type from sqlite_schema where name = 'owner'").get();
  // Earlier servers have a table.
  if (found !== undefined) lock.exec(`drop ${found['type'] === 'view' ? 'view' : 'table'} owner`);
  const host = hostname().replaceAll("'", "''");
  lock.exec(`create view owner as select ${pid} as pid, '${host}' as host, '${since}' as since`);
}

/** The identity of the file with the lock, which is made if it is not there. */
function madeLockFile(name: string): string {
  for (;;) {
    const found = identityOf(name);
    if (found !== undefined) return found;
    try {
      closeSync(openSync(name, 'wx'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** What differs between two files that have a name one after the other. An inode alone may be used again. */
function identityOf(name: string): string | undefined {
  const found = statSync(name, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? undefined : `${found.dev} ${found.ino} ${found.birthtimeNs}`;
}

/**
 * Throws `NOT_TRUSTED` where another user owns or may change the database, or one of the files that SQLite finds by its name.
 *
 * Called again once the database is open: what SQLite has opened stays in its place from then on.
 */
export function refuseForeign(path: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const folder = dirname(resolve(real));
  const files = [path, ...BESIDE.map((end) => `${real}${end}`)];
  const options = { groupMayWrite: groupMayWrite() };
  const why = isOpenToAll(folder)
    ? `everybody may write its folder ${folder}`
    : files.map((file) => whyNotTrusted(file, options)).find((words) => words !== undefined);
  if (why !== undefined)
    throw new Refusal('NOT_TRUSTED', `the database ${path} may not be ours alone: ${why}`, { path });
}

/** SQLite plays back what it finds in the first three: https://sqlite.org/tempfiles.html. */
const BESIDE = ['-wal', '-shm', '-journal', '-owner', '-commits'];

/** The server that has a database, as it wrote into the lock. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * Who owns a database: undefined where no server does, `unknown` where its server has not yet said who it is.
 *
 * Takes the lock for a moment to learn it; a server that starts meanwhile waits for longer than that.
 */
export function ownerOf(path: string): Owner | 'unknown' | undefined {
  if (!existsSync(path)) return undefined;
  const lockPath = `${realpathSync(path)}-owner`;
  const lock = openLock(lockPath);
  if (lock === undefined) return undefined;
  try {
    lock.exec('begin immediate; rollback');
    return undefined;
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    return readOwner(lock) ?? 'unknown';
  } finally {
    lock.close();
  }
}

/** Opens the lock of a database without making one; undefined where there is none. */
function openLock(path: string): DatabaseSync | undefined {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  try {
    return new DatabaseSync(url, { timeout: LOOK_MS });
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_CANTOPEN) return undefined;
    throw error;
  }
}

/** Several may look at the same moment, each for a fraction of a millisecond: they must not take each other for the owner. */
const LOOK_MS = 100;

/** The file that a path refers to, created if it does not exist. */
function fileOf(path: string): string {
  // Opened before SQLite has it: closing a file releases the locks that this process has on it.
  closeSync(openSync(path, 'a'));
  const real = realpathSync(path);
  const { nlink } = statSync(real);
  if (nlink < 2) return real;
  throw new Refusal(
    'DATABASE_HAS_NAMES',
    `the database ${path} has ${nlink} names (hard links); a server under another name would destroy it`,
    { path, names: nlink },
  );
}

const [SQLITE_BUSY, SQLITE_CANTOPEN] = [5, 14];

function readOwner(lock: DatabaseSync) {
  try {
    return lock.prepare('select pid, host, since from owner').get() as Owner | undefined;
  } catch {
    // The owner is just writing its row: it exists, but its name is not known yet.
    return undefined;
  }
}

/** SQLite's WAL needs memory that all users of a file share. */
function refuseNetworkFileSystem(folder: string, path: string): void {
  if (!existsSync(folder)) return;
  const kind = networkFileSystemOf(folder);
  if (kind === undefined) return;
  throw new Refusal(
    'DATABASE_ON_NETWORK',
    `the database ${path} would be on ${kind}, where SQLite's write-ahead log loses data`,
    { path, fileSystem: kind },
  );
}
