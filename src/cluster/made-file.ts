import { chmodSync, lstatSync, readdirSync, type Stats } from 'node:fs';
import { lstat, readdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';

/** What an attempt left at a path: the time of the last change in Unix seconds, and the bytes. */
export interface MadeStamp {
  readonly st_mtime: number;
  readonly st_size: number;
}

/** More entries of a folder are not looked at: on a parallel file system each costs up to a millisecond. */
const MOST_ENTRIES = 20_000;
/** Looks at once: a file system answers them in parallel. */
const TOGETHER = 32;

/**
 * The stamp of a file, of a link itself, or of a folder: the latest time and the bytes of all that is in it. Links are not followed.
 *
 * Undefined for a folder with too many entries, or with another file system in it. Throws if it is not there.
 */
export async function stampOf(path: string, own?: Stats): Promise<MadeStamp | undefined> {
  const stats = own ?? (await lstat(path));
  if (!stats.isDirectory()) return { st_mtime: stats.mtimeMs / 1000, st_size: stats.size };
  const found = { latestMs: stats.mtimeMs, bytes: 0, entries: 0 };
  return (await walk(path, stats.dev, found)) ? { st_mtime: found.latestMs / 1000, st_size: found.bytes } : undefined;
}

async function walk(
  folder: string,
  device: number,
  found: { latestMs: number; bytes: number; entries: number },
): Promise<boolean> {
  const names = await readdir(folder);
  found.entries += names.length;
  if (found.entries > MOST_ENTRIES) return false;
  for (let at = 0; at < names.length; at += TOGETHER) {
    const all = await Promise.all(
      names.slice(at, at + TOGETHER).map(async (name) => {
        const path = join(folder, name);
        return { path, stats: await lstat(path) };
      }),
    );
    for (const { path, stats } of all) {
      if (stats.dev !== device) return false;
      found.latestMs = Math.max(found.latestMs, stats.mtimeMs);
      if (stats.isFile()) found.bytes += stats.size;
      if (stats.isDirectory() && !(await walk(path, device, found))) return false;
    }
  }
  return true;
}

/** A smaller difference of times is ignored: file systems round. */
const SAME_TIME_SECONDS = 0.01;

const isSameStamp = (one: MadeStamp, other: MadeStamp | undefined): boolean =>
  other !== undefined && Math.abs(one.st_mtime - other.st_mtime) <= SAME_TIME_SECONDS && one.st_size === other.st_size;

/** What became of a file that was to be deleted. */
export type Removed =
  | { readonly removal: 'deleted'; readonly removed_bytes: number }
  /** It is not there; it has changed since it was made. */
  | { readonly removal: 'absent' | 'changed' }
  | { readonly removal: 'failed'; readonly reason: string };

/** Whether what is at a path is still what an attempt left there. */
export async function lookAtMade(path: string, made: MadeStamp): Promise<Removed['removal'] | 'same'> {
  try {
    return isSameStamp(made, await stampOf(path)) ? 'same' : 'changed';
  } catch (error) {
    return isAbsent(error) ? 'absent' : 'failed';
  }
}

/**
 * Deletes what an attempt made, if it is still the same: a file, a link and not what it points to, or a folder with all that is in it.
 */
export async function removeMade(path: string, made: MadeStamp): Promise<Removed> {
  try {
    const stats = await lstat(path);
    if (!isSameStamp(made, await stampOf(path, stats))) return { removal: 'changed' };
    if (stats.isDirectory()) await rm(path, { recursive: true });
    else await unlink(path);
    return { removal: 'deleted', removed_bytes: stats.isSymbolicLink() ? 0 : made.st_size };
  } catch (error) {
    if (isAbsent(error)) return { removal: 'absent' };
    return { removal: 'failed', reason: (error as Error).message };
  }
}

const isAbsent = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
};

const WRITE_BITS = 0o222;

/**
 * Makes a file, or a folder with all that is in it, read-only, or writable for its owner. What links point to stays as it is.
 *
 * Synchronous: the one happens before a launch, which is, too. Throws where that is not allowed; does nothing where nothing is there.
 */
export function setWritable(path: string, isWritable: boolean): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  const mode = stats.mode & 0o7777;
  const wanted = isWritable ? mode | 0o200 : mode & ~WRITE_BITS;
  if (wanted !== mode) chmodSync(path, wanted);
  if (stats.isDirectory()) for (const name of readdirSync(path)) setWritable(join(path, name), isWritable);
}
