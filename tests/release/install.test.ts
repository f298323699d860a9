import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { makeRelease, newSigningKey, onlyPrograms, PLATFORM } from '../support/made-release.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/programs.ts';

/** `install.sh`, as a person runs it: with a small archive, and with what machines lack. */

let folder: string;
let release: string;

beforeEach(async () => {
  folder = temporaryFolder();
  release = join(folder, 'release 1');
  await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'] });
});

const NEEDED = 'sh tar gzip sha256sum uname mkdir cp mv rm ln sed grep readlink'.split(' ');

function install(
  words: readonly string[],
  { PATH = '/usr/bin:/bin', cwd = folder, script = join(release, 'install.sh') } = {},
) {
  const { status, stdout, stderr } = spawnSync('/bin/sh', [script, ...words], {
    cwd,
    encoding: 'utf8',
    env: { PATH, HOME: join(folder, 'home') },
  });
  return { status, stdout, stderr };
}

const said = (path: string) => spawnSync(path, ['--version'], { encoding: 'utf8' }).stdout;
const leftIn = (prefix: string) => (existsSync(join(prefix, 'lib/torc')) ? readdirSync(join(prefix, 'lib/torc')) : []);

describe('install.sh', () => {
  it('install.sh installs below the home of its user what lies beside it, and says how to reach it', () => {
    const { status, stdout } = install([]);
    const home = join(folder, 'home/.local');
    expect([status, stdout]).toEqual([0, expect.stringContaining(`Installed torc 1.0.0 (trial) in ${home}`)]);
    expect(stdout).toContain(`export PATH="${home}/bin:$PATH"`);
    expect(said(join(home, 'bin/torc'))).toBe('torc 1.0.0 (trial)\n');
    expect(JSON.parse(readFileSync(join(home, 'lib/torc/receipt.json'), 'utf8'))).toEqual({
      from: release,
      platform: PLATFORM,
    });
    expect(readdirSync(join(home, 'bin')).sort()).toEqual(['torc', 'torc-server']);
    expect(existsSync(join(home, 'share/man/man1/torc.1'))).toBe(true);
    expect(existsSync(join(home, 'share/bash-completion/completions/torc'))).toBe(true);
    expect(leftIn(home).sort()).toEqual(['1.0.0', 'current', 'receipt.json']);
  });

  it('install.sh installs into a folder with blanks, named from the current folder, which may then be moved', () => {
    expect(install(['--prefix', 'my programs']).status).toBe(0);
    renameSync(join(folder, 'my programs'), join(folder, 'elsewhere'));
    expect(said(join(folder, 'elsewhere/bin/torc'))).toBe('torc 1.0.0 (trial)\n');
  });

  it('install.sh that runs a second time changes nothing, and after a newer one the older version is kept', async () => {
    install(['--prefix', 'p']);
    const again = install(['--prefix', 'p']);
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining('torc 1.0.0 is in')]);
    expect(leftIn(join(folder, 'p'))).not.toContain('previous');

    const newer = join(folder, 'release 2');
    await makeRelease(newer, { version: '1.1.0' });
    expect(install(['--prefix', 'p'], { script: join(newer, 'install.sh') }).status).toBe(0);
    expect(said(join(folder, 'p/bin/torc'))).toBe('torc 1.1.0 (trial)\n');
    expect(readlinkSync(join(folder, 'p/lib/torc/previous'))).toBe('1.0.0');
    expect(leftIn(join(folder, 'p')).sort()).toEqual(['1.0.0', '1.1.0', 'current', 'previous', 'receipt.json']);
  });

  it('install.sh fetches a release from a URL, and with a URL of nothing says so', async () => {
    const server = createServer((request, response) => {
      const path = join(release, request.url ?? '');
      if (!existsSync(path)) response.writeHead(404).end();
      else response.end(readFileSync(path));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const run = (from: string) =>
      new Promise<{ code: number | null; text: string }>((done) => {
        const child = spawn('/bin/sh', ['-s', '--', '--prefix', 'p', '--from', from], {
          cwd: folder,
          env: { PATH: '/usr/bin:/bin', HOME: folder },
        });
        let text = '';
        child.stdout.on('data', (part: Buffer) => (text += String(part)));
        child.stderr.on('data', (part: Buffer) => (text += String(part)));
        child.stdin.end(readFileSync(join(release, 'install.sh')));
        child.on('close', (code) => done({ code, text }));
      });
    expect(await run(`http://127.0.0.1:${port}/no`)).toMatchObject({
      code: 1,
      text: expect.stringContaining('could not be fetched') as string,
    });
    expect(leftIn(join(folder, 'p'))).toEqual([]);
    expect(await run(`http://127.0.0.1:${port}/`)).toMatchObject({ code: 0 });
    expect(said(join(folder, 'p/bin/torc'))).toBe('torc 1.0.0 (trial)\n');
  });

  it.each([
    ['tar', 'tar'],
    ['gzip', 'xz or gzip'],
    ['sha256sum', 'sha256sum or shasum'],
  ])('install.sh on a machine without %s says that it needs %s', (lacked, words) => {
    const PATH = onlyPrograms(
      join(folder, 'bin'),
      NEEDED.filter((name) => name !== lacked),
    );
    const { status, stderr } = install(['--prefix', 'p'], { PATH });
    expect([status, stderr]).toEqual([1, expect.stringContaining(`not found on PATH: ${words}. Install`)]);
    expect(leftIn(join(folder, 'p'))).toEqual([]);
  });

  it('install.sh needs no more than the programs that it names and those of coreutils', () => {
    const PATH = onlyPrograms(join(folder, 'bin'), NEEDED);
    const { status, stderr } = install(['--prefix', 'p'], { PATH });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('install.sh with xz takes the smaller archive, and without gzip, too', async () => {
    const both = join(folder, 'both');
    await makeRelease(both, { version: '1.0.0' });
    const PATH = onlyPrograms(join(folder, 'bin'), [...NEEDED.filter((name) => name !== 'gzip'), 'xz']);
    expect(install(['--prefix', 'p'], { PATH, script: join(both, 'install.sh') })).toMatchObject({
      status: 0,
      stderr: '',
    });
  });

  it.each(['cut off', 'changed'])(
    'install.sh refuses an archive that was %s, and leaves what is installed',
    async (how) => {
      install(['--prefix', 'p']);
      const newer = join(folder, 'release 2');
      await makeRelease(newer, { version: '1.1.0', formats: ['tar.gz'] });
      const archive = join(newer, `torc-1.1.0-${PLATFORM}.tar.gz`);
      if (how === 'cut off') truncateSync(archive, 300);
      else writeFileSync(archive, Buffer.concat([readFileSync(archive), Buffer.from('x')]));
      const { status, stderr } = install(['--prefix', 'p'], { script: join(newer, 'install.sh') });
      expect([status, stderr]).toEqual([1, expect.stringContaining('is damaged or was cut off')]);
      expect(said(join(folder, 'p/bin/torc'))).toBe('torc 1.0.0 (trial)\n');
      expect(leftIn(join(folder, 'p')).sort()).toEqual(['1.0.0', 'current', 'receipt.json']);
    },
  );

  it('install.sh whose programs do not start here quotes what they print, and leaves nothing', async () => {
    await makeRelease(release, { version: '1.0.0', program: '#!/bin/sh\necho "GLIBC_2.28 not found" >&2\nexit 1\n' });
    const { status, stderr } = install(['--prefix', 'p']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('GLIBC_2.28 not found')]);
    expect(leftIn(join(folder, 'p'))).toEqual([]);
  });

  it('install.sh leaves a program of the same name that it did not install', () => {
    mkdirSync(join(folder, 'p/bin'), { recursive: true });
    writeFileSync(join(folder, 'p/bin/torc'), 'mine');
    const { status, stderr } = install(['--prefix', 'p']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('p/bin/torc is another program')]);
    expect(readFileSync(join(folder, 'p/bin/torc'), 'utf8')).toBe('mine');
    expect(leftIn(join(folder, 'p'))).toEqual([]);
  });

  it.skipIf(noSmallDisk)('install.sh on a full disk says so, and leaves nothing of the version', async () => {
    const disk = smallDisk();
    await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'], program: `#!/bin/sh\n: ${'x'.repeat(4e6)}\n` });
    const { status, stderr } = install(['--prefix', disk]);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/No space left|could not be/)]);
    expect(leftIn(disk)).toEqual([]);
  });

  it('an unknown argument and a place that is no folder are refused with what is right', () => {
    expect(install(['--perfix', 'x'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Usage: sh install.sh') as string,
    });
    expect(install(['--from', 'nowhere'])).toMatchObject({ status: 1, stderr: 'install.sh: nowhere is no folder\n' });
    expect(install(['--help'])).toMatchObject({ status: 0, stderr: '' });
  });

  it('an installed program runs through a link, and a folder that cannot be written', () => {
    install(['--prefix', 'p']);
    symlinkSync(join(folder, 'p/bin/torc'), join(folder, 'linked'));
    spawnSync('chmod', ['-R', 'a-w', join(folder, 'p')]);
    onTestFinished(() => void spawnSync('chmod', ['-R', 'u+w', join(folder, 'p')]));
    expect(said(join(folder, 'linked'))).toBe('torc 1.0.0 (trial)\n');
    expect(lstatSync(join(folder, 'p/bin/torc')).isSymbolicLink()).toBe(true);
  });

  const hasMinisign = spawnSync('minisign', ['-v']).error === undefined;

  it.skipIf(!hasMinisign)(
    'install.sh asks minisign about the signature, refuses a wrong one, and without minisign says that it was not checked',
    async () => {
      const key = newSigningKey();
      await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'], key });
      expect(install(['--prefix', 'p']).stdout).toContain(`is that of the key ${key.publicKey}`);

      const PATH = onlyPrograms(join(folder, 'bin'), NEEDED);
      expect(install(['--prefix', 'q'], { PATH }).stdout).toContain(
        'The signature was not checked, because minisign is not on PATH',
      );

      const script = readFileSync(join(release, 'install.sh'));
      await makeRelease(release, { version: '1.0.0', formats: ['tar.gz'], key: newSigningKey() });
      writeFileSync(join(release, 'install.sh'), script);
      expect(install(['--prefix', 'r'])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('is not that of the key') as string,
      });
      expect(leftIn(join(folder, 'r'))).toEqual([]);
    },
  );
});
