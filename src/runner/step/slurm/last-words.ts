import { open } from 'node:fs/promises';

/** The end of standard error that is read for Slurm's words. */
const BYTES = 4096;

/** The end of a file; empty if it cannot be read. */
export async function lastWordsOf(path: string | undefined): Promise<string> {
  if (path === undefined) return '';
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
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
