import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { makeFolder } from '../../cluster/make-folder.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { tarEntries } from './tar-entries.ts';

/** Writes what comes into a file; returns its SHA-256 in hexadecimal. */
export async function keepPart(source: AsyncIterable<Uint8Array>, path: string): Promise<string> {
  const hash = createHash('sha256');
  const file = await open(path, 'wx');
  try {
    for await (const part of source) {
      hash.update(part);
      await file.writeFile(part);
    }
  } finally {
    await file.close();
  }
  return hash.digest('hex');
}

/**
 * Unpacks an archive of a release, in which all is in the folder `top`, into `folder`: readable for all, whatever the umask is, and
 * on disk when this returns.
 *
 * Throws: `RELEASE_REFUSED` for a path that leads out of it, and for links.
 */
export async function unpack(archive: string, top: string, folder: string): Promise<void> {
  for await (const { path, kind, mode, content } of tarEntries(createReadStream(archive).pipe(createGunzip()))) {
    const steps = path.replace(/\/$/, '').split('/');
    if (steps[0] !== top || steps.some((step) => ['', '.', '..'].includes(step)) || kind === 'other')
      throw new Refusal('RELEASE_REFUSED', `${archive} contains ${path}, which no release of torc has`, { path });
    const place = join(folder, ...steps.slice(1));
    if (kind === 'folder') {
      makeFolder(place);
      await chmod(place, 0o755);
      continue;
    }
    makeFolder(dirname(place));
    const file = await open(place, 'wx');
    try {
      for await (const part of content) await file.writeFile(part);
      await file.chmod((mode & 0o100) === 0 ? 0o644 : 0o755);
      await file.sync();
    } finally {
      await file.close();
    }
  }
}
