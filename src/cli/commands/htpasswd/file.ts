import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { Failure } from '../../command/failure.ts';
import { type Entries, readEntries } from './entries.ts';

export function readPasswordFile(path: string): Entries {
  try {
    return readEntries(readFileSync(path, 'utf8'));
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Failure(
      isMissing
        ? `there is no file ${path}; create it with \`torc-htpasswd add -f ${path} USER\``
        : `${path} cannot be read: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/**
 * Changes a file of users: it is written completely beside its destination, and moved there, so that a server never
 * reads half of it.
 *
 * The new file is at the same time a lock against a second change. Only its owner may read it, and its group if that
 * had rights before.
 */
export function changeUsersFile(path: string, change: (entries: Entries) => string): void {
  const target = existsSync(path) ? realpathSync(path) : path;
  const fresh = `${target}.new`;
  const fd = openFresh(fresh, path);
  try {
    const text = change(existsSync(target) ? readPasswordFile(target) : readEntries(''));
    writeFileSync(fd, text);
    if (existsSync(target)) keepOwner(fd, target);
    fsyncSync(fd);
    renameSync(fresh, target);
  } catch (cause) {
    rmSync(fresh, { force: true });
    if (cause instanceof Failure) throw cause;
    throw new Failure(`${path} cannot be written: ${(cause as Error).message}`, { cause });
  } finally {
    closeSync(fd);
  }
}

function openFresh(fresh: string, path: string): number {
  try {
    return openSync(fresh, 'wx', 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new Failure(
      code === 'EEXIST'
        ? `${path} is being changed by another torc-htpasswd; if none is running, an earlier one was interrupted: remove ${fresh}`
        : `${path} cannot be written: ${message}`,
      { cause },
    );
  }
}

/** A server that reads the file as a member of its group can still read it; with another group, only we may. */
function keepOwner(fd: number, before: string): void {
  const { uid, gid, mode } = statSync(before);
  try {
    fchownSync(fd, uid, gid);
    fchmodSync(fd, mode & 0o660);
  } catch {
    // We may not change its group: it stays 0600.
  }
}
