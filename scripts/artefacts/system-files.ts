import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import type { ArchivedFile, Files } from './archive.ts';

/** The text of a file that packages of a system bring: units, their user, and what runs when a package comes and goes. */
export const systemText = (name: string): string => readFileSync(join(import.meta.dirname, 'system', name), 'utf8');

/**
 * The files of an archive where a package of a system has them: the program below `/usr/lib/torc`, links to it in `/usr/bin`, manual
 * pages, completions, units and licences. The system brings libatomic.
 */
export function systemFilesOf(files: Files): Map<string, ArchivedFile> {
  const placed = new Map<
    string,
    { readonly content: Uint8Array; readonly isProgram?: boolean; readonly link?: string }
  >();
  for (const [path, file] of files) {
    const [, page] = /^share\/(man\/man1\/.*)$/.exec(path) ?? [];
    const [, completion] = /^share\/((?:bash|zsh|fish).*)$/.exec(path) ?? [];
    if (page !== undefined) placed.set(`usr/share/${page}.gz`, packed(file.content));
    else if (completion !== undefined) placed.set(`usr/share/${completion}`, file);
    else if (!/^(?:share|python|bin\/lib)\//.test(path)) placed.set(`usr/lib/torc/${path}`, file);
    const [, program] = /^bin\/(torc[a-z-]*)$/.exec(path) ?? [];
    if (program !== undefined) placed.set(`usr/bin/${program}`, { content: EMPTY, link: `../lib/torc/bin/${program}` });
  }
  for (const unit of ['torc-server.service', 'torc-sonar.service'])
    placed.set(`usr/lib/systemd/system/${unit}`, { content: Buffer.from(systemText(unit)) });
  placed.set('usr/lib/sysusers.d/torc.conf', { content: Buffer.from(systemText('sysusers.conf')) });
  placed.set('usr/share/doc/torc/copyright', { content: copyrightOf(files) });
  return placed;
}

const EMPTY = Buffer.alloc(0);

/** As Debian's policy has it: without a time, as small as possible. */
export const packed = (content: Uint8Array) => ({
  content: gzipSync(content, { level: constants.Z_BEST_COMPRESSION }),
});

/** The licence of torc, and those of all libraries that are bundled with it. */
function copyrightOf(files: Files): Buffer {
  const text = (path: string) => Buffer.from(files.get(path)?.content ?? EMPTY).toString('utf8');
  return Buffer.from(`${text('LICENSE')}\n${text('dist/THIRD_PARTY_LICENSES.txt')}`);
}
