import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';

/** Longer files are compared by time and size. One of this length takes 0.1 s of the processor. */
const MOST_HASHED_BYTES = 64 * 2 ** 20;

/** Read and hashed at once, 0.3 ms: the caller's loop goes on between. */
const PART_BYTES = 2 ** 18;

/** Files whose hashes are kept, 200 bytes each: many jobs read the same. */
const MOST_KEPT = 10_000;

/**
 * Returns what gives the SHA-256 of a file in hexadecimal; undefined for what is no regular file, is too long, is gone, or changes meanwhile.
 * One file is read after the other, part by part. One whose time and size are those of its last look is not read again.
 */
export function createFileHashes(): (path: string) => Promise<string | undefined> {
  const kept = new Map<string, Promise<string | undefined>>();
  const part = Buffer.allocUnsafe(PART_BYTES);
  let last: Promise<unknown> = Promise.resolve();
  return async (path) => {
    const before = await stat(path).catch(() => undefined);
    if (before?.isFile() !== true || before.size > MOST_HASHED_BYTES) return undefined;
    const key = `${before.ino} ${before.mtimeMs} ${before.size} ${path}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = last.then(async () => {
      const hash = await hashOf(path, part);
      const after = await stat(path);
      return after.mtimeMs === before.mtimeMs && after.size === before.size ? hash : undefined;
    });
    const found = made.catch(() => undefined);
    last = found;
    kept.set(key, found);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return found;
  };
}

async function hashOf(path: string, part: Buffer): Promise<string> {
  const file = await open(path);
  try {
    const hash = createHash('sha256');
    // A file that grows while it is read has no end: it is over the limit then.
    for (let bytes = 0; bytes <= MOST_HASHED_BYTES;) {
      const { bytesRead } = await file.read(part, 0, PART_BYTES, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(part.subarray(0, bytesRead));
      bytes += bytesRead;
    }
    throw new Error(`${path} grows`);
  } finally {
    await file.close();
  }
}
