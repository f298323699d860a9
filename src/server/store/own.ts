import { closeSync, existsSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '../../cluster/make-folder.ts';
import { isOpenToAll, whyNotTrusted } from '../../cluster/trust.ts';
import { groupMayWrite } from '../../cluster/umask.ts';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Reserves a database file for this process until the process ends in any way.
 *
 * Beside `torc.db` is `torc.db-owner`, a small separate database. The process with its write lock is the owner; the
 * kernel releases the lock with the process, so nothing is left after a kill. Its one row names the owner, and stays
 * readable, so that a second server can name it in its refusal.
 *
 * The lock belongs to the file, not to the name: a symbolic link is followed, and a file with several names (hard
 * links) is refused, because SQLite finds the log of a database by its name. So is one that another user prepared, or may
 * change: whoever writes it decides which commands run (`NOT_TRUSTED`, see `refuseForeign`).
 */
export function ownDatabase(path: string, pid: number, { trustsOwner = false } = {}): { release(): void } {
  const folder = dirname(resolve(path));
  makeFolder(folder);
  refuseNetworkFileSystem(folder, path);
  if (!trustsOwner) refuseForeign(path);

  const real = fileOf(path);
  const lock = new DatabaseSync(`${real}-owner`, { timeout: 200 });
  try {
    lock.exec('create table if not exists owner (pid integer, host text, since text)');
    lock.exec('begin immediate; delete from owner');
    lock.prepare('insert into owner values (?, ?, ?)').run(pid, hostname(), new Date().toISOString());
    lock.exec('commit; begin immediate');
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
  return { release: () => lock.close() };
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
const BESIDE = ['-wal', '-shm', '-journal', '-owner'];

/** The server that has a database, as it wrote into the lock. */
export interface Owner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
}

/**
 * Who owns a database: undefined where nobody does, `unknown` where its server has not yet said who it is.
 *
 * Takes the lock for a moment to learn it; a server that starts meanwhile waits for longer than that.
 */
export function ownerOf(path: string): Owner | 'unknown' | undefined {
  if (!existsSync(path)) return undefined;
  const lockPath = `${realpathSync(path)}-owner`;
  if (!existsSync(lockPath)) return undefined;
  const lock = new DatabaseSync(lockPath, { timeout: LOOK_MS });
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

const SQLITE_BUSY = 5;

function readOwner(lock: DatabaseSync) {
  try {
    return lock.prepare('select pid, host, since from owner').get() as Owner | undefined;
  } catch {
    // The owner is just writing its row: it exists, but its name is not known yet.
    return undefined;
  }
}

/**
 * File systems shared between hosts, by the magic number in statfs(2). SQLite's WAL needs memory that all users of a
 * file share.
 */
const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x00c36400, 'CephFS'],
  [0x5346414f, 'AFS'],
  [0x013111a8, 'PanFS'],
]);

function refuseNetworkFileSystem(folder: string, path: string): void {
  if (!existsSync(folder)) return;
  const kind = networkFileSystems.get(Number(BigInt.asUintN(32, BigInt(statfsSync(folder).type))));
  if (kind === undefined) return;
  throw new Refusal(
    'DATABASE_ON_NETWORK',
    `the database ${path} would be on ${kind}, where SQLite's write-ahead log loses data`,
    { path, fileSystem: kind },
  );
}
