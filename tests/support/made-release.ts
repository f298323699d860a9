import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ArchiveFormat,
  type Files,
  FORMATS,
  sumLine,
  tarOf,
  writeArchive,
} from '../../scripts/artefacts/archive.ts';
import { installer, linker } from '../../scripts/artefacts/installer.ts';
import { newSigningKey, signatureOf, type SigningKey } from '../../scripts/artefacts/sign.ts';

export const PLATFORM = `${process.platform}-${process.arch}`;

interface Made {
  readonly version: string;
  readonly key?: SigningKey | undefined;
  readonly formats?: readonly ArchiveFormat[];
  /** In place of a program that prints its version. */
  readonly program?: string;
  /** The version of its tables; unknown otherwise. */
  readonly schema?: number;
}

/** A small release in `folder`, in the form in which `npm run artefacts` makes one. */
export async function makeRelease(
  folder: string,
  { version, key, formats = FORMATS, program, schema }: Made,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const torc = program ?? `#!/bin/sh\n[ "$1" = --version ] && echo "torc ${version} (trial)"\n`;
  const isProgram = true;
  const files: Files = new Map([
    ['bin/torc', { content: Buffer.from(torc), isProgram }],
    ['bin/torc-server', { content: Buffer.from(torc), isProgram }],
    ['bin/torc.mjs', { content: Buffer.from('') }],
    ['share/link.sh', { content: Buffer.from(linker()) }],
    ['share/man/man1/torc.1', { content: Buffer.from('.TH TORC 1\n') }],
    ['share/bash-completion/completions/torc', { content: Buffer.from('#\n') }],
    [
      'release.json',
      { content: Buffer.from(JSON.stringify({ version, platform: PLATFORM, key: key?.publicKey ?? '', schema })) },
    ],
  ]);
  await releaseOf(folder, { version, key, formats, files });
}

interface Contents extends Omit<Made, 'program' | 'schema'> {
  readonly files: Files;
}

/** A release of these files in `folder`. */
export async function releaseOf(folder: string, { version, key, formats = FORMATS, files }: Contents): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const name = `torc-${version}-${PLATFORM}`;
  const tar = tarOf(files, name, 1_700_000_000);
  const lines = await Promise.all(
    formats.map(async (format) => (await writeArchive(tar, join(folder, `${name}.${format}`), format)).line),
  );
  writeFileSync(join(folder, 'install.sh'), installer({ VERSION: version, KEY: key?.publicKey ?? '', ADDRESS: '' }));
  const sums = [sumLine(join(folder, 'install.sh')), ...lines].join('');
  writeFileSync(join(folder, 'SHA256SUMS'), sums);
  if (key !== undefined)
    writeFileSync(join(folder, 'SHA256SUMS.minisig'), signatureOf(Buffer.from(sums), key, `torc ${version}`));
}

export { newSigningKey };

/** A folder with these programs of the system alone, for a PATH. */
export function onlyPrograms(folder: string, names: readonly string[]): string {
  mkdirSync(folder, { recursive: true });
  for (const name of names) {
    const [path] = execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).split('\n');
    execFileSync('ln', ['-s', path as string, join(folder, name)]);
  }
  return folder;
}
