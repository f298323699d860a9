import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { constants, gzipSync } from 'node:zlib';
import { headerSum } from '../../src/operations/self/tar-entries.ts';

export interface ArchivedFile {
  readonly content: Uint8Array;
  readonly isProgram?: boolean;
  /** A symbolic link to this path, without content. Archives of tar alone have them. */
  readonly link?: string;
}

/** Files of an archive by their paths in it. */
export type Files = ReadonlyMap<string, ArchivedFile>;

export const FORMATS = ['tar.xz', 'tar.gz'] as const;
export type ArchiveFormat = (typeof FORMATS)[number];

/**
 * An archive of tar in the format of POSIX, whose bytes follow from its files alone: sorted, of user 0, with one time.
 *
 * Throws for a path that the format cannot hold.
 */
export function tarOf(files: Files, folder: string, atSeconds: number): Buffer {
  const parts: Buffer[] = [];
  const add = (path: string, content: Uint8Array, mode: number, kind: string, link = '') => {
    parts.push(headOf({ path, mode, kind, link, sizeBytes: content.length, atSeconds }), Buffer.from(content));
    parts.push(Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK));
  };
  const folders = new Set<string>();
  for (const path of [...files.keys()].sort()) {
    const steps = `${folder}/${path}`.split('/').slice(0, -1);
    for (const [at] of steps.entries()) {
      const above = `${steps.slice(0, at + 1).join('/')}/`;
      if (folders.has(above)) continue;
      folders.add(above);
      add(above, Buffer.alloc(0), 0o755, '5');
    }
    const { content, isProgram = false, link } = files.get(path) as ArchivedFile;
    if (link !== undefined) add(`${folder}/${path}`, Buffer.alloc(0), 0o777, '2', link);
    else add(`${folder}/${path}`, content, isProgram ? 0o755 : 0o644, '0');
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

const BLOCK = 512;

interface Head {
  readonly path: string;
  readonly mode: number;
  readonly kind: string;
  readonly link: string;
  readonly sizeBytes: number;
  readonly atSeconds: number;
}

function headOf({ path, mode, kind, link, sizeBytes, atSeconds }: Head): Buffer {
  const head = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    head.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  const cut = path.length <= 100 ? -1 : path.indexOf('/', path.length - 101);
  if (path.length > 100 && (cut < 0 || cut > 155)) throw new Error(`too long for an archive: ${path}`);
  head.write(path.slice(cut + 1), 0, 'utf8');
  head.write(path.slice(0, Math.max(cut, 0)), 345, 'utf8');
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(sizeBytes, 124, 12);
  octal(atSeconds, 136, 12);
  head.write(kind, 156, 'latin1');
  head.write(link, 157, 100, 'latin1');
  head.write('ustar\x0000', 257, 'latin1');
  head.write('root', 265, 'latin1');
  head.write('root', 297, 'latin1');
  octal(headerSum(head), 148, 8);
  return head;
}

/** The level of zlib; `isTrial`: in a tenth of the time, and a fifth larger. */
export const levelOf = (isTrial = false): number => (isTrial ? constants.Z_BEST_SPEED : constants.Z_BEST_COMPRESSION);

/** Writes the archive compressed; returns the line of it in SHA256SUMS, and its size. */
export async function writeArchive(archive: Buffer, path: string, format: ArchiveFormat, isTrial = false) {
  if (format === 'tar.gz') writeFileSync(path, gzipSync(archive, { level: levelOf(isTrial) }));
  else {
    const bare = path.slice(0, -'.xz'.length);
    writeFileSync(bare, archive);
    // One thread: with several, xz compresses blocks apart, and the file depends on their size.
    await promisify(execFile)('xz', [isTrial ? '-1' : '-9', '--threads=1', '--force', bare]).catch((cause: Error) => {
      throw new Error(`xz is needed: ${cause.message}`, { cause });
    });
  }
  return { line: sumLine(path), sizeBytes: statSync(path).size };
}

/** `HASH  NAME`, as sha256sum writes and checks it. */
export const sumLine = (path: string): string =>
  `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${basename(path)}\n`;
