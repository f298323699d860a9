import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { Refusal } from '../core/contract/refusals.ts';

/**
 * Writes a file in parts. It gets its name when it is complete: an interrupted write leaves nothing, and an existing
 * file stays.
 */
export async function writeWhole<T>(
  path: string,
  writeTo: (write: (text: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A name that no other user could have prepared, and private: a workflow is private to its user.
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600).catch((cause: unknown) => {
    throw new Refusal('FILE_UNWRITABLE', `cannot write ${path}: ${(cause as Error).message}`, {}, { cause });
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
