import type { FileHandle } from 'node:fs/promises';
import { type NotRead, readOwnFile } from './own-file.ts';

/** The end of a file, or the reason why it was not read. */
export type FileTail = { readonly lines: string[]; readonly sizeBytes: number; readonly hasMore: boolean } | NotRead;

/** At most this much of a file is read: 500 lines of usual length. */
const MOST_BYTES = 64 * 1024;
/** Characters of a line. */
const MOST_CHARACTERS = 4_000;

/** The last lines of a regular file in a folder of this name below a folder. */
export const readTail = (folder: string, inner: string, name: string, lines: number): Promise<FileTail> =>
  readOwnFile(folder, inner, name, (file, { size }) => read(file, size, lines));

async function read(file: FileHandle, size: number, lines: number): Promise<FileTail> {
  const length = Math.min(size, MOST_BYTES);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
  const all = buffer.subarray(0, bytesRead).toString('utf8').replace(/\n$/, '').split('\n');
  // The first line of a part of a file is a part of a line.
  const whole = size > length && all.length > 1 ? all.slice(1) : all;
  const last = whole.slice(-lines).map((line) => line.slice(0, MOST_CHARACTERS));
  const isEmpty = last.length === 1 && last[0] === '';
  return { lines: isEmpty ? [] : last, sizeBytes: size, hasMore: whole.length > lines || size > length };
}
