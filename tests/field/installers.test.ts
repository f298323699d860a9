import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeRelease, PLATFORM } from '../support/made-release.ts';
import { temporaryFolder } from '../support/programs.ts';

/** What public reports say about installers and updaters of peers, tried with ours. */

let folder: string;
let release: string;

beforeEach(async () => {
  folder = temporaryFolder();
  release = join(folder, 'release');
  await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'] });
});

const env = () => ({ PATH: '/usr/bin:/bin', HOME: join(folder, 'home') });
const install = (from = release) =>
  spawnSync('/bin/sh', [join(from, 'install.sh'), '--prefix', join(folder, 'p')], { encoding: 'utf8', env: env() });
const said = (prefix = join(folder, 'p')) =>
  spawnSync(join(prefix, 'bin/torc'), ['--version'], { encoding: 'utf8' }).stdout;

test('https://github.com/denoland/deno_install/issues/331: a script that was cut off in a pipe does nothing', () => {
  const lines = readFileSync(join(release, 'install.sh'), 'utf8').trimEnd().split('\n');
  for (let kept = 1; kept < lines.length; kept += 3) {
    spawnSync('/bin/sh', ['-s', '--', '--from', release, '--prefix', join(folder, 'p')], {
      input: `${lines.slice(0, kept).join('\n')}\n`,
      env: env(),
    });
    expect(existsSync(join(folder, 'p'))).toBe(false);
  }
});

test('https://github.com/balena-os/balena-engine/issues/199: an archive that ends early is no success', () => {
  truncateSync(join(release, `torc-1.0.0-${PLATFORM}.tar.gz`), 400);
  const { status, stdout } = install();
  expect([status, stdout]).toEqual([1, '']);
  expect(existsSync(join(folder, 'p/bin/torc'))).toBe(false);
});

test('https://github.com/astral-sh/uv/issues/14839: a program that runs does not make its file busy', async () => {
  const program = '#!/bin/sh\n[ "$1" = --version ] && echo "torc 1.0.0" && exit\necho up; read -r line; echo "$line"\n';
  await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'], program });
  install();
  const running = spawn(join(folder, 'p/bin/torc'), ['run'], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void running.kill('SIGKILL'));
  await once(running.stdout, 'data');
  const newer = join(folder, 'newer');
  await makeRelease(newer, { version: '1.1.0', formats: ['tar.gz'] });
  expect(install(newer)).toMatchObject({ status: 0, stderr: '' });
  expect(said()).toBe('torc 1.1.0 (trial)\n');
  running.stdin.end('and on\n');
  expect(String((await once(running.stdout, 'data'))[0])).toBe('and on\n');
});

test('https://github.com/astral-sh/uv/issues/6774: the receipt is found wherever the installation is', () => {
  install();
  renameSync(join(folder, 'p'), join(folder, 'rust'));
  expect(said(join(folder, 'rust'))).toBe('torc 1.0.0 (trial)\n');
  expect(JSON.parse(readFileSync(join(folder, 'rust/lib/torc/receipt.json'), 'utf8'))).toMatchObject({ from: release });
  expect(existsSync(join(folder, 'home'))).toBe(false);
});

test('https://github.com/earendil-works/pi/issues/3922: where an administrator installed, another user is refused before anything is fetched', ({
  skip,
}) => {
  if (process.getuid?.() !== 0) return skip('only root can become another user');
  mkdirSync(join(folder, 'p'));
  for (const path of [folder, release, join(folder, 'p')]) chmodSync(path, 0o755);
  const { status, stderr } = spawnSync(
    'setpriv',
    [
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      '/bin/sh',
      join(release, 'install.sh'),
      '--prefix',
      join(folder, 'p'),
    ],
    { encoding: 'utf8', env: env(), cwd: '/' },
  );
  expect([status, stderr]).toEqual([1, expect.stringContaining('name another folder with --prefix')]);
  expect(readdirSync(join(folder, 'p'))).toEqual([]);
});

test('https://github.com/nextflow-io/nextflow/issues/4090: without a network a copied folder is enough', () => {
  writeFileSync(join(folder, 'curl'), '#!/bin/sh\nexit 99\n');
  chmodSync(join(folder, 'curl'), 0o755);
  const words = [join(release, 'install.sh'), '--prefix', join(folder, 'p')];
  execFileSync('/bin/sh', words, { env: { ...env(), PATH: `${folder}:/usr/bin:/bin` } });
  expect(said()).toBe('torc 1.0.0 (trial)\n');
});
