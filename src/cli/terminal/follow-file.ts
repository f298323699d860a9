import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { pause } from '../../client/long-timers.ts';
import { notRegular, WITHOUT_WAITING } from '../../cluster/open-regular.ts';
import { writeOut } from './write-out.ts';

/** Between two looks at a file that grows: soon enough for a reader, and two requests a second for the server. */
const LOOK_MS = 500;

const CHUNK_BYTES = 64 * 1024;

/** Writes some bytes, and resolves when the next may be written. */
type Write = (bytes: Uint8Array) => Promise<void>;

/** A named pipe in place of the file of a job is never waited for. */
async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, WITHOUT_WAITING);
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notRegular(path);
}

/** Prints a file as it is. */
export async function copyFile(path: string, write: Write = writeOut): Promise<void> {
  const file = await openFile(path);
  try {
    await copyRest(file, 0, write);
  } finally {
    await file.close();
  }
}

/** Prints a file while it grows. It stays open: what was written can be read also when the file is deleted at the end. */
export async function followFile(path: string, hasEnded: () => Promise<boolean>): Promise<void> {
  const file = await openFile(path);
  try {
    let at = 0;
    for (;;) {
      // Asked before the file is read: what was written before the end is printed.
      const isLast = await hasEnded();
      at = await copyRest(file, at, writeOut);
      if (isLast) return;
      await pause(LOOK_MS);
    }
  } finally {
    await file.close();
  }
}

/** Prints what stands behind `at`, and answers where the file ended. */
async function copyRest(file: FileHandle, at: number, write: Write): Promise<number> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let place = at;
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, place);
    if (bytesRead === 0) return place;
    await write(buffer.subarray(0, bytesRead));
    place += bytesRead;
  }
}
