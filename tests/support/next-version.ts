import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ArchivedFile, Files } from '../../scripts/artefacts/archive.ts';
import { linker } from '../../scripts/artefacts/installer.ts';
import { VERSION } from '../../src/core/contract/version.ts';
import { migrations, oldestBeside } from '../../src/server/store/migrations.gen.ts';
import { PLATFORM } from './made-release.ts';

const root = resolve(import.meta.dirname, '../..');

/** What `scripts/build.ts` reads. */
const NEEDED = 'package.json tsconfig.json tsconfig.base.json bin migrations scripts src api'.split(' ');

/**
 * The programs of a later version, built of these sources: with another number, and with one migration more, beside whose tables the
 * programs of this version may work.
 */
export function nextVersion(version: string): Files {
  const copy = mkdtempSync(join(tmpdir(), 'torc-next-'));
  try {
    for (const entry of NEEDED) cpSync(join(root, entry), join(copy, entry), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    const change = (path: string) =>
      writeFileSync(join(copy, path), readFileSync(join(copy, path), 'utf8').replace(VERSION, version));
    for (const path of ['package.json', 'src/core/contract/version.ts']) change(path);
    const [before, number] = [0, 1].map((more) => String(migrations.length + more).padStart(4, '0'));
    writeFileSync(
      join(copy, `migrations/${number}_trial.sql`),
      `--! beside ${before}: yes, a column that may be empty\n\nalter table workflow add column trial text;\n`,
    );
    const node = (...words: string[]) =>
      execFileSync(process.execPath, words, { cwd: copy, stdio: ['ignore', 'ignore', 'inherit'] });
    node('scripts/gen-migrations.ts');
    node('scripts/build.ts', '--portable');
    const release = { version, platform: PLATFORM, key: '', schema: migrations.length + 1, oldest: oldestBeside };
    return new Map<string, ArchivedFile>([
      ...['bin', 'dist'].flatMap((folder) => filesBelow(copy, folder)),
      ['package.json', { content: readFileSync(join(copy, 'package.json')) }],
      ['share/link.sh', { content: Buffer.from(linker()) }],
      ['release.json', { content: Buffer.from(JSON.stringify(release)) }],
    ]);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function filesBelow(from: string, folder: string): [string, ArchivedFile][] {
  return readdirSync(join(from, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(join(from, path)).isFile())
    .map((path) => [
      path,
      { content: readFileSync(join(from, path)), isProgram: (statSync(join(from, path)).mode & 0o100) !== 0 },
    ]);
}
