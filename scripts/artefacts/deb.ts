import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { type Files, levelOf, tarOf } from './archive.ts';
import type { Platform } from './runtimes.ts';
import { packed, systemText } from './system-files.ts';

const ARCHITECTURES: Readonly<Partial<Record<Platform, string>>> = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' };

export interface PackageOfSystem {
  readonly version: string;
  readonly platform: Platform;
  /** As a package of a system has them, by their paths from `/`. */
  readonly files: Files;
  readonly about: { readonly description: string; readonly maintainer: string };
  readonly atSeconds: number;
  readonly isTrial?: boolean;
}

/**
 * A package for Debian and Ubuntu, whose bytes follow from its files alone; undefined for a platform that is not theirs. It is written
 * here because `dpkg-deb` is on their machines alone: an archive of `ar` with two of tar, what it is and what it has.
 */
export function debOf({ version, platform, files, about, atSeconds, isTrial }: PackageOfSystem) {
  const architecture = ARCHITECTURES[platform];
  if (architecture === undefined) return undefined;
  const all: Files = new Map([
    ...files,
    ['usr/share/doc/torc/changelog.gz', packed(Buffer.from(changelogOf({ version, about, atSeconds })))],
    ['usr/share/lintian/overrides/torc', text(systemText('lintian-overrides'))],
  ]);
  const contents = [...all.values()];
  const sizeBytes = contents.reduce((sum, { content }) => sum + content.length, 0);
  const sums = [...all].flatMap(([path, { content, link }]) =>
    link === undefined ? `${createHash('md5').update(content).digest('hex')}  ${path}\n` : [],
  );
  const control: Files = new Map([
    ['control', text(controlOf({ version, architecture, about, kibibytes: Math.ceil(sizeBytes / 1024) }))],
    ['md5sums', text(sums.join(''))],
    ['postinst', script('after-install.sh')],
    ['prerm', script('before-removal.sh')],
    ['postrm', script('after-removal.sh')],
  ]);
  const parts: [string, Buffer][] = [
    ['debian-binary', Buffer.from('2.0\n')],
    ['control.tar.gz', gzipSync(tarOf(control, '.', atSeconds))],
    ['data.tar.gz', gzipSync(tarOf(all, '.', atSeconds), { level: levelOf(isTrial) })],
  ];
  return { name: `torc_${version}_${architecture}.deb`, content: arOf(parts, atSeconds) };
}

const text = (words: string) => ({ content: Buffer.from(words) });
const script = (name: string) => ({ ...text(systemText(name)), isProgram: true });

interface Described {
  readonly version: string;
  readonly architecture: string;
  readonly about: PackageOfSystem['about'];
  readonly kibibytes: number;
}

const controlOf = ({ version, architecture, about, kibibytes }: Described): string => `Package: torc
Version: ${version}
Architecture: ${architecture}
Maintainer: ${about.maintainer}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.28), libstdc++6, libatomic1, passwd
Section: science
Priority: optional
Description: workflow orchestrator for laptops, ssh hosts and clusters
 ${wrapped(about.description)}.
 .
 This package brings its own Node, the units of a server and of the telemetry
 of a node, and their user. No unit is started before it is enabled.
`;

const wrapped = (words: string): string => words.replaceAll(/(.{1,72})(?: |$)/g, '$1\n ').trimEnd();

const changelogOf = ({ version, about, atSeconds }: Omit<PackageOfSystem, 'files' | 'platform'>): string =>
  `torc (${version}) unstable; urgency=medium

  * Release ${version}: /usr/lib/torc/CHANGELOG.md.

 -- ${about.maintainer}  ${new Date(atSeconds * 1000).toUTCString().replace('GMT', '+0000')}
`;

function arOf(parts: readonly (readonly [string, Buffer])[], atSeconds: number): Buffer {
  const heads = parts.flatMap(([name, content]) => {
    const fields = [name.padEnd(16), String(atSeconds).padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)];
    const head = `${fields.join('')}${String(content.length).padEnd(10)}\`\n`;
    return [Buffer.from(head), content, Buffer.from(content.length % 2 === 0 ? '' : '\n')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...heads]);
}
