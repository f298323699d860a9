import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { isCi } from '../support/in-ci.ts';
import { makeRelease, newSigningKey, PLATFORM } from '../support/made-release.ts';
import { pack } from '../support/packed.ts';
import { temporaryFolder } from '../support/programs.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';

/** `torc self`, in an installation as install.sh makes it, with the real programs; newer versions are small archives. */

const key = newSigningKey();
let folder: string;
let prefix: string;
let place: string;

beforeEach(() => {
  folder = temporaryFolder();
  prefix = join(folder, 'my programs');
  place = join(folder, 'releases');
  installIn(prefix);
});

function installIn(where: string, publicKey = key.publicKey): void {
  const versions = join(where, 'lib/torc');
  mkdirSync(join(where, 'bin'), { recursive: true });
  mkdirSync(versions, { recursive: true });
  cpSync(pack().folder, join(versions, VERSION), { recursive: true, verbatimSymlinks: true });
  const release = { version: VERSION, platform: PLATFORM, key: publicKey, schema: 1 };
  writeFileSync(join(versions, VERSION, 'release.json'), JSON.stringify(release));
  writeFileSync(join(versions, 'receipt.json'), JSON.stringify({ from: place, platform: PLATFORM }));
  symlinkSync(VERSION, join(versions, 'current'));
  symlinkSync('../lib/torc/current/bin/torc', join(where, 'bin/torc'));
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const started = (...words: string[]) =>
  spawn(join(prefix, 'bin/torc'), words, {
    cwd: folder,
    env: { PATH: '/usr/bin:/bin', HOME: folder, USER: 'tester' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });

async function torc(...words: string[]): Promise<Ran> {
  const child = started(...words);
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (part: Buffer) => (stdout += String(part)));
  child.stderr.on('data', (part: Buffer) => (stderr += String(part)));
  return new Promise((done) => void child.on('close', (code) => done({ code, stdout, stderr })));
}

const versions = () => join(prefix, 'lib/torc');
const current = () => readlinkSync(join(versions(), 'current'));
const there = () => readdirSync(versions()).sort();
const said = () => spawnSync(join(prefix, 'bin/torc'), ['--version'], { encoding: 'utf8' }).stdout;
const archiveOf = (version: string, at = place) => join(at, `torc-${version}-${PLATFORM}.tar.gz`);
const unchanged = () => expect([current(), there()]).toEqual([VERSION, [VERSION, 'current', 'receipt.json']]);
const release = async (version: string, more: object = {}, at = place) =>
  makeRelease(at, { version, key, formats: ['tar.gz'], ...more });

describe('torc self update', () => {
  it('torc self update takes the newest version of the folder from which torc was installed, and keeps the old one', async () => {
    await release('9.0.0');
    const { code, stdout, stderr } = await torc('self', 'update');
    expect([code, stdout]).toEqual([0, `Updated torc ${VERSION} to 9.0.0\n`]);
    expect(stderr).toContain(`Servers and runners that run go on with ${VERSION}`);
    expect(said()).toBe('torc 9.0.0 (trial)\n');
    expect(there()).toEqual([VERSION, '9.0.0', 'current', 'previous', 'receipt.json'].sort());
    // A program that the newer version brings has its link.
    expect(existsSync(join(prefix, 'bin/torc-server'))).toBe(true);
  });

  it('torc self update with what is there already changes nothing, and with an older release neither', async () => {
    await release(VERSION);
    expect(await torc('self', 'update')).toMatchObject({
      code: 0,
      stdout: `torc ${VERSION} is the newest in ${place}\n`,
    });
    await release('0.0.1');
    expect(await torc('-f', 'json', 'self', 'update')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"changed": false') as string,
    });
    unchanged();
  });

  it('torc self update VERSION takes that one, also an older one and one of a folder of its name; of another it says what is there', async () => {
    await release('9.0.0');
    await release('0.0.1', {}, join(place, '0.0.1'));
    expect(await torc('self', 'update', 'v7.0.0')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`has no torc 7.0.0 for ${PLATFORM}, but 9.0.0`) as string,
    });
    unchanged();
    expect((await torc('self', 'update', '0.0.1')).code).toBe(0);
    expect(current()).toBe('0.0.1');
  });

  it('torc self update to an older version that refuses the databases of this one is refused, but with --force', async () => {
    const own = { version: VERSION, platform: PLATFORM, key: key.publicKey, schema: 9, oldest: 9 };
    writeFileSync(join(versions(), VERSION, 'release.json'), JSON.stringify(own));
    await release('0.0.1', { schema: 8 });
    expect(await torc('self', 'update', '0.0.1')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`torc 0.0.1 refuses a database that torc ${VERSION} has opened`) as string,
    });
    expect(current()).toBe(VERSION);
    expect((await torc('self', 'update', '0.0.1', '--force')).code).toBe(0);
    expect(current()).toBe('0.0.1');
  });

  it.each(['cut off', 'changed'])(
    'torc self update refuses an archive that was %s, and changes nothing',
    async (how) => {
      await release('9.0.0');
      const path = archiveOf('9.0.0');
      if (how === 'cut off') truncateSync(path, 300);
      else writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.from('x')]));
      expect(await torc('self', 'update')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is damaged or was cut off') as string,
      });
      unchanged();
    },
  );

  it('torc self update refuses a release without a signature, of another key, and with sums that were changed after it', async () => {
    const refused = async (words: string) => {
      expect(await torc('self', 'update')).toMatchObject({ code: 1, stderr: expect.stringContaining(words) as string });
      unchanged();
    };
    await release('9.0.0', { key: undefined });
    await refused('has no SHA256SUMS.minisig');
    await release('9.0.0', { key: newSigningKey() });
    await refused('was signed with the key');
    await release('9.0.0');
    const sums = join(place, 'SHA256SUMS');
    writeFileSync(sums, readFileSync(sums, 'utf8').replaceAll('9.0.0', '9.9.9'));
    await refused('is not that of its content');
  });

  it('torc self update --key FILE trusts another key for once', async () => {
    const other = newSigningKey();
    await release('9.0.0', { key: other });
    writeFileSync(join(folder, 'other.pub'), `untrusted comment: of a site\n${other.publicKey}\n`);
    expect((await torc('self', 'update', '--key', 'other.pub')).code).toBe(0);
    expect(current()).toBe('9.0.0');
  });

  it('torc self update of a torc that was built without a key says that no signature was checked', async () => {
    prefix = join(folder, 'unsigned');
    installIn(prefix, '');
    await release('9.0.0', { key: undefined });
    expect(await torc('self', 'update')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('No signature was checked') as string,
    });
  });

  it('torc self update refuses a version that does not start here, with what it says', async () => {
    await release('9.0.0', { program: '#!/bin/sh\necho "GLIBC_2.99 not found" >&2\nexit 1\n' });
    expect(await torc('self', 'update')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not start on this machine: GLIBC_2.99 not found') as string,
    });
    unchanged();
  });

  it.skipIf(noSmallDisk)('torc self update on a full disk leaves what is there', async () => {
    prefix = join(smallDisk(16), 'p');
    installIn(prefix);
    await release('9.0.0', { program: `#!/bin/sh\n: ${'x'.repeat(20e6)}\n` });
    const { code, stderr } = await torc('self', 'update');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no space left|ENOSPC/i)]);
    unchanged();
    expect(said()).toContain(VERSION);
  });

  it.each([
    ['a clone', 'src', 'git pull && npm ci'],
    ['a package of npm', 'node_modules', 'npm install --global'],
    ['an archive that was unpacked by hand', 'unpacked', 'install it once with install.sh'],
  ])('torc self update in %s says what updates it instead', async (_, kind, words) => {
    const at = join(folder, kind === 'node_modules' ? 'node_modules/torc' : 'somewhere');
    cpSync(pack().folder, at, { recursive: true, verbatimSymlinks: true });
    // Without its sources a checkout has none to run.
    if (kind === 'src') mkdirSync(join(at, 'src'));
    const { status, stderr } = spawnSync(join(at, 'bin/torc'), ['self', 'update'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)]);
  });

  it('torc self update fetches from a URL with a token, and sends no token where others could read it', async () => {
    await release('9.0.0');
    const asked: unknown[] = [];
    const url = await serve((path, headers) => {
      asked.push(headers['authorization']);
      return readFileSync(join(place, path));
    });
    expect((await torc('self', 'update', '--from', 'http://example.org/torc', '--token', 'secret')).stderr).toContain(
      'is not https',
    );
    expect((await torc('self', 'update', '--from', url, '--token', 'secret')).code).toBe(0);
    expect(new Set(asked)).toEqual(new Set(['Bearer secret']));
    expect(current()).toBe('9.0.0');
  });

  it('torc self update from a URL that ends in the middle of the archive changes nothing', async () => {
    await release('9.0.0');
    const url = await serve((path) => {
      const bytes = readFileSync(join(place, path));
      return path.endsWith('.gz') ? bytes.subarray(0, 500) : bytes;
    }, true);
    expect(await torc('self', 'update', '--from', url)).toMatchObject({ code: 1 });
    unchanged();
  });

  it('a kill of torc self update at any moment leaves a torc that works, and the next update completes', async () => {
    await release('9.0.0', {
      program: `#!/bin/sh\n[ "$1" = --version ] && echo "torc 9.0.0 (trial)"\n: ${'x'.repeat(3e6)}\n`,
    });
    const pristine = mkdtempSync(join(folder, 'pristine-'));
    cpSync(prefix, join(pristine, 'p'), { recursive: true, verbatimSymlinks: true });
    for (let afterMs = 60; afterMs < 700; afterMs += isCi ? 120 : 200) {
      rmSync(prefix, { recursive: true });
      cpSync(join(pristine, 'p'), prefix, { recursive: true, verbatimSymlinks: true });
      const child = started('self', 'update');
      const ended = new Promise((done) => void child.on('close', done));
      await wait(afterMs);
      child.kill('SIGKILL');
      await ended;
      expect(said()).toMatch(/^torc (?:9\.0\.0|0\.)/);
      expect((await torc('self', 'update')).code === 0 || current() === '9.0.0').toBe(true);
      expect(said()).toBe('torc 9.0.0 (trial)\n');
    }
  });

  it('a server that runs answers after an update, and its program is still there', async () => {
    const server = spawn(join(versions(), 'current/bin/torc-server'), ['run', '--port', '0', '--database', 's.db'], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    const port = await new Promise<string>((done) =>
      server.stdout.on('data', (part: Buffer) => {
        const found = /TORC_SERVER_PORT=(\d+)/.exec(String(part))?.[1];
        if (found !== undefined) done(found);
      }),
    );
    await release('9.0.0');
    expect((await torc('self', 'update')).code).toBe(0);
    const service = `http://localhost:${port}/torc-service/v1`;
    const sql = await fetch(`${service}/admin/sql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sql: 'select 42 as answer' }),
    });
    // It starts a process of its own version.
    expect(await sql.text()).toContain('42');
  });
});

it('the unit of a service of such an installation starts the current version, so that an update reaches it', () => {
  writeFileSync(join(folder, 'systemctl'), '#!/bin/sh\n', { mode: 0o755 });
  const program = join(versions(), 'current/bin/torc-server');
  const { stderr, status } = spawnSync(program, ['service', 'install', '--user'], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: folder },
  });
  expect([status, stderr]).toEqual([0, expect.stringContaining('Start it with')]);
  const unit = readFileSync(join(folder, '.config/systemd/user/torc-server.service'), 'utf8');
  expect(unit).toContain(`ExecStart="${program}" run `);
});

describe('torc self rollback', () => {
  it('torc self rollback returns to the version before, and without one says so', async () => {
    expect(await torc('self', 'rollback')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`there is no version before ${VERSION}`) as string,
    });
    // The newer version is the real one, too: it must be able to return.
    const newer = join(versions(), '9.0.0');
    cpSync(join(versions(), VERSION), newer, { recursive: true, verbatimSymlinks: true });
    rmSync(join(versions(), 'current'));
    symlinkSync('9.0.0', join(versions(), 'current'));
    symlinkSync(VERSION, join(versions(), 'previous'));
    writeFileSync(
      join(newer, 'release.json'),
      JSON.stringify({ version: '9.0.0', platform: PLATFORM, key: '', schema: 2, oldest: 1 }),
    );
    const { code, stdout, stderr } = await torc('self', 'rollback');
    expect([code, stdout]).toEqual([0, `Returned from torc 9.0.0 to ${VERSION}\n`]);
    expect(stderr).toContain('different tables');
    expect([current(), readlinkSync(join(versions(), 'previous'))]).toEqual([VERSION, '9.0.0']);
  });
});

/** A server of files; with `breaks` it closes the connection before the end that it has announced. */
async function serve(
  answer: (path: string, headers: Readonly<Record<string, string | string[] | undefined>>) => Buffer,
  breaks = false,
): Promise<string> {
  const server: Server = createServer((request, response) => {
    try {
      const bytes = answer(request.url ?? '', request.headers as Record<string, string>);
      const cut = breaks && request.url?.endsWith('.gz') === true;
      response.writeHead(200, { 'Content-Length': bytes.length + (cut ? 100 : 0) });
      response.write(bytes);
      if (cut) setImmediate(() => response.destroy());
      else response.end();
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
