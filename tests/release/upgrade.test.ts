import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { VERSION } from '../../src/core/contract/version.ts';
import { migrations, oldestBeside } from '../../src/server/store/migrations.gen.ts';
import { releaseOf, PLATFORM } from '../support/made-release.ts';
import { nextVersion } from '../support/next-version.ts';
import { pack } from '../support/packed.ts';
import { temporaryFolder, until } from '../support/programs.ts';

/**
 * An update of a real installation to a real later version, which is built here: with another number and one migration more. Servers and
 * runners of both work together, before and after the tables change.
 */

const NEXT = '0.99.0';
let next: ReturnType<typeof nextVersion>;

beforeAll(() => {
  next = nextVersion(NEXT);
}, 240_000);

/** An installation of this version, and a folder with the release of the next one. */
async function installation() {
  const folder = temporaryFolder();
  const versions = join(folder, 'p/lib/torc');
  const place = join(folder, 'releases');
  mkdirSync(join(folder, 'p/bin'), { recursive: true });
  mkdirSync(versions, { recursive: true });
  cpSync(pack().folder, join(versions, VERSION), { recursive: true, verbatimSymlinks: true });
  const release = { version: VERSION, platform: PLATFORM, key: '', schema: migrations.length, oldest: oldestBeside };
  writeFileSync(join(versions, VERSION, 'release.json'), JSON.stringify(release));
  writeFileSync(join(versions, 'receipt.json'), JSON.stringify({ from: place, platform: PLATFORM }));
  symlinkSync(VERSION, join(versions, 'current'));
  for (const name of ['torc', 'torc-server'])
    symlinkSync(`../lib/torc/current/bin/${name}`, join(folder, 'p/bin', name));
  await releaseOf(place, { version: NEXT, files: next, formats: ['tar.gz'] });
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder, USER: 'tester' };

  const begin = (program: string, ...words: string[]): ChildProcess =>
    spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = async (program: string, ...words: string[]) => {
    const child = begin(program, ...words);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (part: Buffer) => (stdout += String(part)));
    child.stderr?.on('data', (part: Buffer) => (stderr += String(part)));
    return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) =>
      child.on('close', (code) => done({ code, stdout, stderr })),
    );
  };
  /** The address of a server that it starts, and the way to stop it. */
  const serve = async (program: string) => {
    const child = begin(program, 'run', '--port', '0', '--database', 's.db');
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise<number | null>((done) => child.on('close', done));
    const port = await new Promise<string>((done, fail) => {
      let all = '';
      child.stdout?.on('data', (part: Buffer) => {
        all += String(part);
        const found = /TORC_SERVER_PORT=(\d+)/.exec(all)?.[1];
        if (found !== undefined) done(found);
      });
      child.stderr?.on('data', (part: Buffer) => (all += String(part)));
      void ended.then(() => fail(new Error(all)));
    });
    return {
      url: `http://localhost:${port}/torc-service/v1`,
      stop: async () => {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
  const program = (version: string, name: string) => join(versions, version, 'bin', name);
  return { folder, versions, run, serve, program, begin, torc: join(folder, 'p/bin/torc') };
}

const flow = (command: string) =>
  JSON.stringify({
    name: 'w',
    jobs: [
      { name: 'a', command },
      { name: 'b', command: 'echo b > b', depends_on: ['a'] },
    ],
  });

/** The version of the tables of a database. */
function tablesOf(path: string): unknown {
  const db = new DatabaseSync(path, { readOnly: true });
  const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number };
  db.close();
  return version;
}

describe('an update to the next version', () => {
  it('an update and a rollback keep a running server, its running jobs and the database, and servers and runners of both versions work together', async () => {
    const { folder, versions, run, serve, program, begin, torc } = await installation();
    writeFileSync(join(folder, 'waits.json'), flow('touch began; until test -e go; do sleep 0.1; done'));
    writeFileSync(join(folder, 'short.json'), flow('true'));
    const old = await serve(program('current', 'torc-server'));
    const running = begin(torc, '--url', old.url, 'run', 'waits.json');
    const ran = new Promise<number | null>((done) => running.on('close', done));
    await until(() => existsSync(join(folder, 'began')), Boolean, 'the job to begin');

    // The update, while a server, a runner and a job of the old version run.
    expect(await run(torc, 'self', 'update')).toMatchObject({
      code: 0,
      stdout: `Updated torc ${VERSION} to ${NEXT}\n`,
      stderr: expect.stringContaining('The older one can use a database that was migrated') as string,
    });
    expect((await run(torc, '--version')).stdout).toContain(NEXT);
    writeFileSync(join(folder, 'go'), '');
    expect(await ran).toBe(0);
    expect(readFileSync(join(folder, 'b'), 'utf8')).toBe('b\n');
    // A newer runner with an older server.
    expect((await run(torc, '--url', old.url, 'run', 'short.json')).code).toBe(0);
    expect(await old.stop()).toBe(0);
    expect(tablesOf(join(folder, 's.db'))).toBe(migrations.length);

    // The newer server changes the tables, and copies the database first.
    const newer = await serve(program('current', 'torc-server'));
    expect(tablesOf(join(folder, 's.db'))).toBe(migrations.length + 1);
    expect(tablesOf(join(folder, `s.db-before-${migrations.length + 1}`))).toBe(migrations.length);
    const names = async (url: string) =>
      ((await (await fetch(`${url}/workflows`)).json()) as { items: { name: string }[] }).items.length;
    expect(await names(newer.url)).toBe(2);
    // An older runner with a newer server.
    expect((await run(program(VERSION, 'torc'), '--url', newer.url, 'run', 'short.json')).code).toBe(0);
    expect(await newer.stop()).toBe(0);

    // Back, in place: the migration is marked as one beside which the older programs may work.
    expect(await run(torc, 'self', 'rollback')).toMatchObject({
      code: 0,
      stdout: `Returned from torc ${NEXT} to ${VERSION}\n`,
    });
    expect(readlinkSync(join(versions, 'current'))).toBe(VERSION);
    const back = await serve(program('current', 'torc-server'));
    expect(await names(back.url)).toBe(3);
    expect((await run(torc, '--url', back.url, 'run', 'short.json')).code).toBe(0);
    expect(await back.stop()).toBe(0);
    expect(tablesOf(join(folder, 's.db'))).toBe(migrations.length + 1);
    expect((await run(program('current', 'torc-server'), 'check', '--database', 's.db')).code).toBe(0);
  });

  it('a rollback over a migration beside which the older programs may not work is refused and names the copy, and with --force the older server refuses the database until the copy is back', async () => {
    const { folder, versions, run, serve, program, torc } = await installation();
    const first = await serve(program('current', 'torc-server'));
    await first.stop();
    expect((await run(torc, 'self', 'update')).code).toBe(0);
    await (await serve(program('current', 'torc-server'))).stop();
    // As if the trial migration were marked so.
    const path = join(versions, NEXT, 'release.json');
    const release = JSON.parse(readFileSync(path, 'utf8')) as object;
    writeFileSync(path, JSON.stringify({ ...release, oldest: migrations.length + 1 }));
    const db = new DatabaseSync(join(folder, 's.db'));
    db.exec(`update older_programs set oldest = ${migrations.length + 1}`);
    db.close();

    const refused = await run(torc, 'self', 'rollback');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining(`FILE-before-${migrations.length + 1} beside it`),
    ]);
    expect(refused.stderr).toContain('torc-server restore');
    expect(readlinkSync(join(versions, 'current'))).toBe(NEXT);

    expect((await run(torc, 'self', 'rollback', '--force')).code).toBe(0);
    const copy = `s.db-before-${migrations.length + 1}`;
    await expect(serve(program('current', 'torc-server'))).rejects.toThrow(copy);
    expect((await run(program('current', 'torc-server'), 'restore', copy, '--database', 's.db')).code).toBe(0);
    await (await serve(program('current', 'torc-server'))).stop();
  });
});
