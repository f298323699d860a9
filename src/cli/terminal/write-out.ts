import { write } from 'node:fs';
import { pause } from '../../client/long-timers.ts';

const STDOUT = 1;
/** Between two tries where the pipe is full: at first short, as most readers are fast. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 50;

/**
 * Writes bytes to standard output and resolves when they are written, in the order of the calls when each is waited for.
 *
 * A write to a pipe through `process.stdout` stops the whole program until the reader reads; here a thread waits, so jobs are
 * started and watched meanwhile. Throws what `write` throws, `EPIPE` when the reader has gone.
 */
export async function writeOut(bytes: Uint8Array): Promise<void> {
  let left = bytes;
  let pauseMs = FIRST_PAUSE_MS;
  while (left.length > 0) {
    const written = await writeSome(left);
    left = left.subarray(written);
    if (written > 0) pauseMs = FIRST_PAUSE_MS;
    else {
      await pause(pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
    }
  }
}

/** Bytes that were written; 0 when the other end shares a pipe that does not wait and it is full. */
const writeSome = (bytes: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    write(STDOUT, bytes, (error, written) => {
      if (error === null) resolve(written);
      else if (error.code === 'EAGAIN') resolve(0);
      else reject(error);
    });
  });

/** Has the reader gone, such as `head` when it has seen enough? */
export const isReaderGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';
