import { createHash } from 'node:crypto';
import { parse } from 'smol-toml';
import type { Files } from './archive.ts';
import type { Platform } from './runtimes.ts';
import { zipOf } from './zip.ts';

/**
 * What pip compares with the machine. The Node of macOS needs 13.5, and pip compares the first number alone; that of Linux glibc 2.28
 * (`runtimeFiles` refuses a newer one).
 */
const TAGS: Readonly<Record<Platform, string>> = {
  'linux-x64': 'manylinux_2_28_x86_64',
  'linux-arm64': 'manylinux_2_28_aarch64',
  'darwin-arm64': 'macosx_13_0_arm64',
};

interface Project {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly 'requires-python': string;
  readonly license: { readonly text: string };
}

export interface WheelParts {
  /** The text of pyproject.toml, and of the page about the package. */
  readonly project: string;
  readonly readme: string;
  /** `torc_flow/…`, and licence texts by their names. */
  readonly modules: Files;
  readonly licences: Files;
  /** With the programs of a platform, as an archive has them; absent: the modules alone, for all platforms. */
  readonly programs?: { readonly platform: Platform; readonly files: Files } | undefined;
  readonly atSeconds: number;
  readonly isTrial?: boolean;
}

/**
 * A wheel: the Python package, and with it the programs. Python's installers put the files of `data` into the folder of the
 * environment, and those of `scripts` beside its `python`; so `pip install` in a venv gives `torc`.
 */
export function wheelOf({ project, readme, modules, licences, programs, atSeconds, isTrial }: WheelParts) {
  const about = (parse(project) as unknown as { project: Project }).project;
  const distribution = `${about.name.replaceAll('-', '_')}-${about.version}`;
  const tag = `py3-none-${programs === undefined ? 'any' : TAGS[programs.platform]}`;
  const info = `${distribution}.dist-info`;
  const files = new Map([
    ...modules,
    ...(programs === undefined ? [] : programFiles(programs.files, `${distribution}.data`)),
    ...[...licences].map(([name, file]) => [`${info}/licenses/${name}`, file] as const),
    [`${info}/METADATA`, text(metadataOf(about, [...licences.keys()], readme))],
    [`${info}/WHEEL`, text(wheelLines(tag, programs === undefined))],
  ]);
  const record = [...files].map(([path, { content }]) => `${path},sha256=${sumOf(content)},${content.length}\n`);
  files.set(`${info}/RECORD`, text(`${record.join('')}${info}/RECORD,,\n`));
  return { name: `${distribution}-${tag}.whl`, content: zipOf(files, atSeconds, isTrial) };
}

/** The folder of the programs in an environment, which `torc self update` knows it by. */
const HOME = 'lib/torc-flow';

function programFiles(files: Files, data: string) {
  const placed: [string, { readonly content: Uint8Array; readonly isProgram?: boolean }][] = [];
  for (const [path, file] of files) {
    if (path.startsWith('python/') || path === 'share/link.sh' || path.startsWith('share/modulefiles/')) continue;
    placed.push([`${data}/data/${path.startsWith('share/') ? '' : `${HOME}/`}${path}`, file]);
    const [, name] = /^bin\/(torc[a-z-]*)$/.exec(path) ?? [];
    if (name !== undefined) placed.push([`${data}/scripts/${name}`, { ...text(starterOf(name)), isProgram: true }]);
  }
  return placed;
}

/** A wheel has no links. */
const starterOf = (name: string): string => `#!/bin/sh
self=$(readlink -f "$0")
exec "\${self%/*}/../${HOME}/bin/${name}" "$@"
`;

const text = (words: string) => ({ content: Buffer.from(words) });
const sumOf = (content: Uint8Array) => createHash('sha256').update(content).digest('base64url');

const metadataOf = (about: Project, licences: readonly string[], readme: string): string =>
  [
    'Metadata-Version: 2.4',
    `Name: ${about.name}`,
    `Version: ${about.version}`,
    `Summary: ${about.description}`,
    `License-Expression: ${about.license.text}`,
    ...licences.map((name) => `License-File: ${name}`),
    `Requires-Python: ${about['requires-python']}`,
    'Description-Content-Type: text/markdown',
    '',
    readme,
  ].join('\n');

const wheelLines = (tag: string, isPure: boolean): string =>
  ['Wheel-Version: 1.0', 'Generator: torc', `Root-Is-Purelib: ${isPure}`, `Tag: ${tag}`, ''].join('\n');
