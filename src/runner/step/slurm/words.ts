import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { OPEN_FLAGS } from '../../../cluster/trust.ts';

/**
 * What srun and the daemon of a step say, which comes through srun. It stands in a file of its own while the step runs: the command appends to its
 * standard error on another node, and on NFS one of two such writers overwrites what the other one wrote.
 */
export const wordsFileOf = (mark: string): string => `${mark}${ENDING}`;

/** Whether a file beside marks has such words. */
export const isWordsFile = (name: string): boolean => name.endsWith(ENDING);

const ENDING = '.words';

/** The end of them that is read. */
const BYTES = 4096;

/** The last words of a step whose srun has ended; empty if there are none. */
export async function lastWordsOf(mark: string): Promise<string> {
  try {
    const file = await open(wordsFileOf(mark), 'r');
    try {
      const { size } = await file.stat();
      if (size === 0) return '';
      const buffer = Buffer.alloc(Math.min(size, BYTES));
      await file.read(buffer, 0, buffer.length, size - buffer.length);
      return buffer.toString('utf8');
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** Appends all words to the standard error of the job, when its command writes no more. Rejects if they cannot be written there. */
export async function appendWords(mark: string, stderr: string): Promise<void> {
  const file = await open(stderr, OPEN_FLAGS.append);
  await pipeline(createReadStream(wordsFileOf(mark)), file.createWriteStream());
}
