import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { levelOf } from './archive.ts';
import type { PackageOfSystem } from './deb.ts';
import type { Platform } from './runtimes.ts';
import { systemText } from './system-files.ts';

const ARCHITECTURES: Readonly<Partial<Record<Platform, string>>> = { 'linux-x64': 'x86_64', 'linux-arm64': 'aarch64' };

/**
 * A package for RHEL, Rocky, Fedora and SUSE, made by `rpmbuild` with the time of the commit; undefined for a platform that is not theirs.
 * It asks for libraries and not for packages, whose names differ between these systems. Throws where `rpmbuild` is missing.
 */
export function rpmOf({ version, platform, files, about, atSeconds, isTrial }: PackageOfSystem) {
  const architecture = ARCHITECTURES[platform];
  if (architecture === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'torc-rpm-'));
  try {
    for (const [path, { content, isProgram = false, link }] of files) {
      const place = join(folder, 'files', path);
      mkdirSync(dirname(place), { recursive: true });
      if (link === undefined) writeFileSync(place, content, { mode: isProgram ? 0o755 : 0o644 });
      else symlinkSync(link, place);
    }
    const spec = join(folder, 'torc.spec');
    writeFileSync(spec, specOf({ version, about, paths: [...files.keys()] }));
    // Old systems cannot read zstd.
    const payload = `_binary_payload w${levelOf(isTrial)}.gzdio`;
    const defines = [`_topdir ${folder}`, `files_of_torc ${join(folder, 'files')}`, payload, ...REPRODUCIBLE];
    const words = [...defines.flatMap((each) => ['--define', each]), '--target', architecture, '-bb', '--quiet', spec];
    execFileSync('rpmbuild', words, {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(atSeconds) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const built = join(folder, 'RPMS', architecture);
    const [name = ''] = readdirSync(built);
    return { name, content: readFileSync(join(built, name)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same bytes on every machine, and files as they are: nothing is stripped, compiled, or read for what it needs. */
const REPRODUCIBLE = [
  '_buildhost torc',
  'use_source_date_epoch_as_buildtime 1',
  'clamp_mtime_to_source_date_epoch 1',
  '__os_install_post %{nil}',
  '_build_id_links none',
  'debug_package %{nil}',
];

interface Described extends Pick<PackageOfSystem, 'version' | 'about'> {
  readonly paths: readonly string[];
}

const specOf = ({ version, about, paths }: Described): string => `Name: torc
Version: ${version}
Release: 1
Summary: Workflow orchestrator for laptops, ssh hosts and clusters
License: BSD-3-Clause
Packager: ${about.maintainer}
AutoReqProv: no
Requires: libc.so.6(GLIBC_2.28)(64bit), libstdc++.so.6()(64bit), libatomic.so.1()(64bit), /usr/sbin/useradd

%description
${about.description}.
This package brings its own Node, the units of a server and of the telemetry
of a node, and their user. No unit is started before it is enabled.

%install
mkdir -p %{buildroot}
cp -a %{files_of_torc}/. %{buildroot}

%post
${script('after-install.sh')}
%preun
${script('before-removal.sh')}
%postun
${script('after-removal.sh')}
%files
%defattr(-,root,root)
${paths
  .filter((path) => !path.startsWith('usr/lib/torc/'))
  .map((path) => `/${path}\n`)
  .join('')}/usr/lib/torc
`;

/** Without its first line, and with percent signs that rpm does not read. */
const script = (name: string): string =>
  systemText(name)
    .replace(/^#!.*\n/, '')
    .replaceAll('%', '%%');
