import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** The end of a file, or the reason why it was not read. */
export type Tail =
  | { readonly lines: string[]; readonly sizeBytes: number; readonly hasMore: boolean }
  | { readonly reason: string };

/** At most this much of a file is read: 500 lines of usual length. */
const MOST_BYTES = 64 * 1024;
/** Characters of a line. */
const MOST_CHARACTERS = 4_000;
/** Files that are read at the same time. A file system that hangs blocks as many of the four threads for files. */
const AT_ONCE = 2;

let reading = 0;

/**
 * The last lines of a regular file in a folder of this name below a folder.
 *
 * The folder comes from a request of a runner, so nothing of it is trusted: the file must not be a link, neither symbolic nor
 * one of several names of a file, and the folder `inner` must not be one either. A link above both is the user's own
 * business: home directories are links on many clusters.
 */
export async function readTail(folder: string, inner: string, name: string, lines: number): Promise<Tail> {
  if (basename(name) !== name || name === '..' || name === '.') return { reason: 'the name of the file has a folder' };
  if (!folder.startsWith('/') || folder.split('/').includes('..'))
    return { reason: 'the output folder is no absolute path' };
  if (reading >= AT_ONCE) return { reason: 'the server reads other files at the moment' };
  reading += 1;
  try {
    return await read(join(folder, inner, name), lines);
  } catch (error) {
    return { reason: reasonOf(error as NodeJS.ErrnoException) };
  } finally {
    reading -= 1;
  }
}

async function read(path: string, lines: number): Promise<Tail> {
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
    const length = Math.min(stats.size, MOST_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, stats.size - length);
    const all = buffer.subarray(0, bytesRead).toString('utf8').replace(/\n$/, '').split('\n');
    // The first line of a part of a file is a part of a line.
    const whole = stats.size > length && all.length > 1 ? all.slice(1) : all;
    const last = whole.slice(-lines).map((line) => line.slice(0, MOST_CHARACTERS));
    const isEmpty = last.length === 1 && last[0] === '';
    return { lines: isEmpty ? [] : last, sizeBytes: stats.size, hasMore: whole.length > lines || stats.size > length };
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
