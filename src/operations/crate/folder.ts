import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { HashMode } from './hash-mode.ts';

/** A folder as a whole. */
export interface FolderFacts {
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** The modification time of its newest file, in Unix milliseconds; undefined for an empty folder. */
  readonly modifiedMs: number | undefined;
  /** Hexadecimal; undefined with the mode `none`. */
  readonly sha256: string | undefined;
}

interface Found {
  /** Relative to the folder, with `/` between its parts. */
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedNs: bigint;
}

/**
 * Reads every file of a folder and of its subfolders.
 *
 * The hash is that of Torc 1.0.0: with `manifest` of the sorted lines `name|size|mtime` (Unix seconds with six
 * decimals) joined by line feeds, with `content` of a line `name:hash` for each file in the order of their names. A
 * link to a file counts as that file; links to folders are not followed, because they may form circles. `together` is
 * the number of files read at once.
 */
export async function folderFacts(folder: string, mode: HashMode, together: number): Promise<FolderFacts> {
  const found: Found[] = [];
  for await (const file of filesOf(folder, '')) found.push(file);
  const files = inByteOrder(found, ({ name }) => name);
  return {
    fileCount: files.length,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    modifiedMs: files.reduce<number | undefined>(
      (last, { modifiedNs }) => Math.max(last ?? 0, Number(modifiedNs / 1_000_000n)),
      undefined,
    ),
    sha256:
      mode === 'none' ? undefined : mode === 'manifest' ? manifestHash(files) : await contentHash(files, together),
  };
}

async function* filesOf(folder: string, prefix: string): AsyncGenerator<Found> {
  for await (const entry of await opendir(join(folder, prefix))) {
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) yield* filesOf(folder, `${name}/`);
    else if (entry.isFile() || entry.isSymbolicLink()) {
      const path = join(folder, name);
      const facts = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        // A link that leads nowhere, or in a circle, is not a file.
        if (entry.isSymbolicLink() && (error.code === 'ENOENT' || error.code === 'ELOOP')) return undefined;
        throw error;
      });
      if (facts?.isFile() === true) yield { name, path, sizeBytes: Number(facts.size), modifiedNs: facts.mtimeNs };
    }
  }
}

const NS = 1_000_000_000n;

function manifestHash(files: readonly Found[]): string {
  const lines = files.map(({ name, sizeBytes, modifiedNs }) => {
    const seconds = Number(modifiedNs / NS) + Number(modifiedNs % NS) / 1e9;
    return `${name}|${sizeBytes}|${seconds.toFixed(6)}`;
  });
  return createHash('sha256')
    .update(inByteOrder(lines, (line) => line).join('\n'))
    .digest('hex');
}

async function contentHash(files: readonly Found[], together: number): Promise<string> {
  const hashes: string[] = [];
  let next = 0;
  const work = async () => {
    for (let at = next++; at < files.length; at = next++) {
      const hash = createHash('sha256');
      await pipeline(createReadStream((files[at] as Found).path), hash);
      hashes[at] = hash.digest('hex');
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, files.length) }, work));
  const whole = createHash('sha256');
  for (const [at, { name }] of files.entries()) whole.update(`${name}:${hashes[at] as string}\n`);
  return whole.digest('hex');
}

/** In the order of the bytes of their texts, which is the same on every machine. */
function inByteOrder<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  const keyed = items.map((item) => ({ item, bytes: Buffer.from(textOf(item)) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ item }) => item);
}
