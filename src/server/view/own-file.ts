import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Why a file was not read. */
export interface NotRead {
  readonly reason: string;
}

/** Files that are read at the same time. A file system that hangs blocks as many of the four threads for files. */
const AT_ONCE = 2;

/** A file that is not read within this time is on a file system that hangs. Until that answers it is one of those above. */
const LONGEST_MS = 10_000;

let reading = 0;

/**
 * Reads a regular file in a folder of this name below a folder.
 *
 * The folder comes from a request of a runner, so nothing of it is trusted: the file must not be a link, neither symbolic nor
 * one of several names of a file, and the folder `inner` must not be one either. A link above both is the user's own
 * business: home directories are links on many clusters. `read` gets the open file and its path without links.
 */
export async function readOwnFile<T>(
  folder: string,
  inner: string,
  name: string,
  read: (file: FileHandle, stats: Stats, real: string) => Promise<T | NotRead>,
): Promise<T | NotRead> {
  if (basename(name) !== name || name === '..' || name === '.') return { reason: 'the name of the file has a folder' };
  if (!folder.startsWith('/') || folder.split('/').includes('..'))
    return { reason: 'the output folder is no absolute path' };
  if (reading >= AT_ONCE) return { reason: 'the server reads other files at the moment' };
  reading += 1;
  const found = checked(join(folder, inner, name), read)
    .catch((error: unknown) => ({ reason: reasonOf(error as NodeJS.ErrnoException) }))
    .finally(() => void (reading -= 1));
  const late = Promise.withResolvers<NotRead>();
  const timer = setTimeout(() => late.resolve({ reason: 'its file system does not answer' }), LONGEST_MS);
  return Promise.race([found, late.promise]).finally(() => clearTimeout(timer));
}

async function checked<T>(
  path: string,
  read: (file: FileHandle, stats: Stats, real: string) => Promise<T | NotRead>,
): Promise<T | NotRead> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return { reason: 'it is no regular file' };
    if (stats.nlink > 1) return { reason: 'the file has several names' };
    const folder = dirname(path);
    const real = join(await realpath(dirname(folder)), basename(folder), basename(path));
    const there = await stat(real);
    if ((await realpath(path)) !== real || there.ino !== stats.ino || there.dev !== stats.dev)
      return { reason: 'the folder of the file is a link' };
    return await read(file, stats, real);
  } finally {
    await file.close();
  }
}

function reasonOf({ code }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'it is not on the host of the server';
  if (code === 'EACCES' || code === 'EPERM') return 'the user of the server may not read it';
  if (code === 'ELOOP') return 'it is a link';
  return `it cannot be read: ${code ?? 'unknown error'}`;
}
