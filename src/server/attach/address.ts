import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Refusal } from '../../core/contract/refusals.ts';

/**
 * Where the server of a `torc -s` command answers, and with which credential: a file beside the database, `torc.db-server`, that
 * other `-s` commands of the same user read.
 *
 * The file never proves that the server runs: after `kill -9` it stays. Who attaches asks the server for a proof, and the lock
 * of the database decides who may start another one. The file names its own inode, so that a copy of the folder (a backup, a
 * template) does not lead to the server of the original.
 */
export interface Address {
  readonly url: string;
  readonly credential: string;
  /** The process of the server. */
  readonly pid: number;
  readonly host: string;
  /** Names the process together with its number, which the kernel gives again: boot and clock ticks at its start. */
  readonly start: string;
  /** ISO 8601. */
  readonly since: string;
  /** The database is in the memory of the server; the file beside this one gets a copy at the end. */
  readonly inMemory: boolean;
}

/** What stands beside a database. */
export type BesideDatabase =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address'; readonly address: Address; readonly path: string }
  | { readonly kind: 'unusable'; readonly path: string; readonly why: string; readonly changedAtMs: number };

/** The same for all names of a database: symbolic links are followed. */
function addressPath(database: string): string {
  return `${realOf(database)}-server`;
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there yet: a server that is just starting makes it, a database in memory is copied to it at the end.
    try {
      return join(realpathSync(dirname(resolve(path))), basename(path));
    } catch {
      return resolve(path);
    }
  }
}

/** Others could use the server if they could read the file, and lead us to another server if they could write it. */
const OTHERS = 0o077;
/** An address has 300 bytes; what is much larger was not written by a server. */
const MOST_BYTES = 4_096;

/**
 * Writes the file, readable by this user only, and gives the way to remove it.
 *
 * The server that holds the lock of the database replaces what is there. A database in memory has no lock: its server must be the first
 * to make the file, and is refused with `DATABASE_IN_USE` otherwise.
 */
export function writeAddress(database: string, address: Address): { remove(): void } {
  const path = addressPath(database);
  const fresh = `${path}.${address.pid}`;
  rmSync(fresh, { force: true });
  const fd = openSync(fresh, 'wx', 0o600);
  let inode: bigint;
  try {
    fchmodSync(fd, 0o600);
    const { ino, mode } = fstatSync(fd, { bigint: true });
    inode = ino;
    if ((Number(mode) & OTHERS) !== 0) throw new Error(`the file system cannot keep ${path} from other users`);
    writeSync(fd, `${JSON.stringify({ ...address, inode: String(ino) })}\n`);
    if (address.inMemory) linkFirst(fresh, path, database);
    else renameSync(fresh, path);
  } finally {
    closeSync(fd);
    rmSync(fresh, { force: true });
  }
  return { remove: () => removeAddress(path, inode) };
}

function linkFirst(fresh: string, path: string, database: string): void {
  try {
    linkSync(fresh, path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw new Refusal(
        'DATABASE_IN_USE',
        `the database ${database} is in use by another torc-server`,
        { path },
        { cause },
      );
    // A file system without hard links.
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS') renameSync(fresh, path);
    else throw cause;
  }
}

/** Removes the file if it is still the one with this inode. */
function removeAddress(path: string, inode: bigint): void {
  try {
    if (lstatSync(path, { bigint: true }).ino === inode) rmSync(path, { force: true });
  } catch {
    // Removed already, or its folder is gone.
  }
}

/**
 * Removes a file that names a server which has ended.
 *
 * It is moved aside first: another command may have replaced it since we read it, and then it is put back.
 */
export function removeStale({ path, address }: Extract<BesideDatabase, { kind: 'address' }>): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    const moved = read(aside, undefined);
    if (moved.kind === 'address' && moved.address.credential !== address.credential) linkSync(aside, path);
    rmSync(aside, { force: true });
  } catch {
    // Another command did it.
  }
}

/** Reads what stands beside a database, and trusts it only if no other user can have written it. */
export const readAddress = (database: string): BesideDatabase => read(addressPath(database), process.getuid?.());

function read(path: string, user: number | undefined): BesideDatabase {
  const unusable = (why: string): BesideDatabase => ({
    kind: 'unusable',
    path,
    why,
    changedAtMs: changedAt(path),
  });
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'nothing' };
    if (code === 'ELOOP') return unusable('it is a symbolic link');
    return unusable(code === 'EACCES' ? 'it belongs to another user' : message);
  }
  try {
    const { uid, mode, ino, size } = fstatSync(fd, { bigint: true });
    if (!fstatSync(fd).isFile()) return unusable('it is not a file');
    if (user !== undefined && Number(uid) !== user) return unusable(`it belongs to another user (uid ${uid})`);
    if ((Number(mode) & OTHERS) !== 0)
      return unusable(`other users may read or write it (mode ${(Number(mode) & 0o777).toString(8)})`);
    if (size > MOST_BYTES) return unusable('no server wrote it');
    const bytes = Buffer.alloc(MOST_BYTES);
    const known = parse(bytes.toString('utf8', 0, readSync(fd, bytes)));
    if (known === undefined) return unusable('no server wrote it');
    if (known.inode !== String(ino)) return unusable('it is a copy');
    return { kind: 'address', address: known, path };
  } finally {
    closeSync(fd);
  }
}

function changedAt(path: string): number {
  try {
    return lstatSync(path).ctimeMs;
  } catch {
    // It is gone, or stands in a folder of another user, where not even this may be read.
    return 0;
  }
}

/** A server of a command listens on this address only. */
const OWN_URL = /^http:\/\/127\.0\.0\.1:\d{1,5}\/[\w/-]*$/;

function parse(text: string): (Address & { readonly inode: string }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Record<string, unknown>;
  const texts = ['url', 'credential', 'host', 'start', 'since', 'inode'];
  if (!texts.every((name) => typeof fields[name] === 'string' && fields[name] !== '')) return undefined;
  if (!Number.isSafeInteger(fields['pid']) || typeof fields['inMemory'] !== 'boolean') return undefined;
  return OWN_URL.test(fields['url'] as string) ? (fields as unknown as Address & { inode: string }) : undefined;
}
