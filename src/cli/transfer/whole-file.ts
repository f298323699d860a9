import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { Failure } from '../failure.ts';

/**
 * Writes a file a part at a time. It gets its name when it is whole: one that broke off leaves nothing behind, and the
 * one that was there before stays.
 */
export async function writeWhole<T>(
  path: string,
  writeTo: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A name that nobody else could have prepared, and private: what a workflow runs is nobody else's business.
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    throw new Failure(`cannot write ${path}: ${(cause as Error).message}`, { cause });
  });
  try {
    const done = await writeTo(async (text) => void (await file.write(`${text}\n`)));
    await file.close();
    await rename(part, path);
    return done;
  } catch (error) {
    await file.close().catch(() => {});
    await rm(part, { force: true });
    throw error;
  }
}
