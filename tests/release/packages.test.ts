import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../scripts/artefacts/archive.ts';
import { debOf, type PackageOfSystem } from '../../scripts/artefacts/deb.ts';
import { rpmOf } from '../../scripts/artefacts/rpm.ts';
import { systemFilesOf, systemText } from '../../scripts/artefacts/system-files.ts';
import { isThere } from '../../scripts/artefacts/try.ts';
import { temporaryFolder } from '../support/programs.ts';

/** Packages of systems with small programs. A release installs the whole one (scripts/artefacts/try.ts). */

const text = (words: string, isProgram = false) => ({ content: Buffer.from(words), isProgram });
const files: Files = new Map([
  ['LICENSE', text('BSD 3-Clause License\n\nCopyright (c) 2026, the authors\n')],
  ['dist/THIRD_PARTY_LICENSES.txt', text('MIT\n')],
  ['bin/torc', text('#!/bin/sh\n', true)],
  ['bin/torc.mjs', text('')],
  ['bin/lib/x64/libatomic.so.1', text('')],
  ['python/torc_flow/__init__.py', text('')],
  ['share/link.sh', text('')],
  ['share/man/man1/torc.1', text('.TH TORC 1\n.SH NAME\ntorc \\- runs workflows\n')],
  ['share/bash-completion/completions/torc', text('#\n')],
]);
const described = (more: Partial<PackageOfSystem> = {}): PackageOfSystem => ({
  version: '1.2.3',
  platform: 'linux-x64',
  files: systemFilesOf(files),
  about: { description: 'Workflow orchestrator', maintainer: 'A Person <person@example.org>' },
  atSeconds: 1_700_000_000,
  ...more,
});

const said = (program: string, ...words: string[]) => spawnSync(program, words, { encoding: 'utf8' }).stdout;
const kept = ({ name, content }: { readonly name: string; readonly content: Buffer }) => {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, content);
  return path;
};

it('the program is in one folder, with links and pages where a system has them, and what the system brings is left out', () => {
  const placed = systemFilesOf(files);
  expect(placed.get('usr/bin/torc')?.link).toBe('../lib/torc/bin/torc');
  expect([...placed.keys()]).toEqual(
    expect.arrayContaining(['usr/lib/torc/bin/torc', 'usr/share/man/man1/torc.1.gz', 'usr/lib/sysusers.d/torc.conf']),
  );
  expect([...placed.keys()].filter((path) => /libatomic|link\.sh|python/.test(path))).toEqual([]);
  expect(String(placed.get('usr/share/doc/torc/copyright')?.content)).toContain('MIT');
});

it('macOS has neither a package of Debian nor one of RPM', () => {
  expect(debOf(described({ platform: 'darwin-arm64' }))).toBeUndefined();
  expect(rpmOf(described({ platform: 'darwin-arm64' }))).toBeUndefined();
});

describe.skipIf(!isThere('dpkg-deb'))('a package of Debian (skipped where dpkg-deb is missing)', () => {
  const made = () => debOf(described()) as { name: string; content: Buffer };

  it('dpkg reads what it is, its files with their modes and links, and its scripts', () => {
    const path = kept(made());
    expect(path.endsWith('torc_1.2.3_amd64.deb')).toBe(true);
    expect(said('dpkg-deb', '-f', path, 'Package', 'Version', 'Architecture')).toBe(
      'Package: torc\nVersion: 1.2.3\nArchitecture: amd64\n',
    );
    const listed = said('dpkg-deb', '-c', path);
    expect(listed).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/lib\/torc\/bin\/torc$/m);
    expect(listed).toMatch(/^-rw-r--r-- root\/root .* \.\/usr\/lib\/torc\/bin\/torc\.mjs$/m);
    expect(listed).toContain('./usr/bin/torc -> ../lib/torc/bin/torc');
    expect(said('dpkg-deb', '-I', path, 'postinst')).toBe(systemText('after-install.sh'));
  });

  it('the same files make the same bytes', () => {
    expect(made().content.equals(made().content)).toBe(true);
  });

  it.skipIf(!isThere('lintian'))('lintian finds nothing but what overrides name with a reason', () => {
    const { status, stdout } = spawnSync('lintian', ['--allow-root', '--fail-on', 'error,warning', kept(made())], {
      encoding: 'utf8',
    });
    expect([status, stdout.replaceAll(/^.*(?:unused-override|mismatched-override).*\n/gm, '')]).toEqual([0, '']);
  });
});

describe.skipIf(!isThere('rpmbuild'))('a package of RPM (skipped where rpmbuild is missing)', () => {
  it('rpm reads what it is, its files and its scripts, and two builds have the same bytes', () => {
    const [one, two] = [rpmOf(described()), rpmOf(described())] as { name: string; content: Buffer }[];
    expect(one?.content.equals(two?.content ?? Buffer.from(''))).toBe(true);
    const path = kept(one as { name: string; content: Buffer });
    expect(said('rpm', '-qp', '--queryformat', '%{NAME} %{VERSION} %{ARCH} %{BUILDHOST}', path)).toBe(
      'torc 1.2.3 x86_64 torc',
    );
    expect(said('rpm', '-qlp', path).split('\n')).toEqual(
      expect.arrayContaining([
        '/usr/bin/torc',
        '/usr/lib/torc/bin/torc',
        '/usr/lib/systemd/system/torc-server.service',
      ]),
    );
    expect(said('rpm', '-qp', '--scripts', path)).toContain('systemd-sysusers torc.conf');
    expect(said('rpm', '-qp', '--requires', path)).toContain('libc.so.6(GLIBC_2.28)(64bit)');
  });
});

describe.skipIf(!isThere('systemd-analyze'))('the units (skipped where systemd-analyze is missing)', () => {
  it.each(['torc-server', 'torc-sonar'])('%s may do little: systemd counts an exposure of at most 3 of 10', (unit) => {
    const path = join(import.meta.dirname, `../../scripts/artefacts/system/${unit}.service`);
    const { status, stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=30', path], {
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('OK')]);
  });
});
