import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Address } from '../../src/server/attach/address.ts';
import { markDamage } from '../../src/server/store/damage.ts';
import { ownerOf } from '../../src/server/store/own.ts';
import { type Program, start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

/** `-s` commands that use the server of another `-s` command. */

interface Place {
  readonly folder: string;
  readonly standalone: (...words: string[]) => ReturnType<typeof torc>;
  readonly begin: (...words: string[]) => Program;
  readonly inFolder: (name: string) => string;
}

/** A folder with a workflow `NAME.json` for each of these names, whose only job waits until there is a file `go-NAME`. */
function placeWith(...names: string[]): Place {
  const folder = temporaryFolder();
  for (const name of names) {
    const command = `touch began-${name}; until test -e go-${name}; do sleep 0.05; done`;
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, jobs: [{ name: `job-${name}`, command }] }));
  }
  return {
    folder,
    standalone: (...words) => torc(['-s', ...words], { cwd: folder }),
    begin: (...words) => start('torc', ['-s', ...words], { cwd: folder }),
    inFolder: (name) => join(folder, name),
  };
}

const began = ({ inFolder }: Place, name: string) => until(() => existsSync(inFolder(`began-${name}`)), Boolean, name);
const go = ({ inFolder }: Place, name: string) => writeFileSync(inFolder(`go-${name}`), '');
const addressIn = (place: Place, file = 'torc_output/torc.db-server') =>
  JSON.parse(readFileSync(place.inFolder(file), 'utf8')) as Address & { inode: string };

/** Ends the command that started the server, and the server. Stopped, it cannot start one again meanwhile. */
async function killWithServer(place: Place, { child, ended }: Program): Promise<void> {
  child.kill('SIGSTOP');
  process.kill(addressIn(place).pid, 'SIGKILL');
  child.kill('SIGKILL');
  await ended;
}

async function statuses(place: Place, id: number, ...more: string[]): Promise<string[][]> {
  const { stdout, stderr } = await place.standalone(...more, '-f', 'json', 'jobs', 'list', String(id));
  if (stdout === '') throw new Error(stderr);
  const { items } = JSON.parse(stdout) as { items: { name: string; status: string }[] };
  return items.map(({ name, status }) => [name, status]);
}

/** What is done to the file that names a server, and why it is not trusted then. */
const TAMPERED: readonly (readonly [what: string, act: (path: string) => void, why: string])[] = [
  ['other users may read', (path: string) => chmodSync(path, 0o644), 'other users may read or write it (mode 644)'],
  ['no server wrote', (path: string) => writeFileSync(path, '{"url": "http://example.org"}'), 'no server wrote it'],
  [
    'names a server elsewhere',
    (path: string) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace(/http:[^"]*/, 'http://example.org/torc-service/v1')),
    'no server wrote it',
  ],
  [
    'is a symbolic link',
    (path: string) => {
      cpSync(path, `${path}-moved`);
      rmSync(path);
      symlinkSync(`${path}-moved`, path);
    },
    'it is a symbolic link',
  ],
  ['another user wrote', (path) => chownSync(path, 12_345, -1), 'it belongs to another user (uid 12345)'],
];

describe('while torc -s run works', () => {
  it('other -s commands see its workflow, and can cancel it', async () => {
    const place = placeWith('a');
    const run = place.begin('run', 'a.json');
    await began(place, 'a');
    const status = await place.standalone('status', '1');
    expect(status.code).toBe(0);
    expect(status.stderr).toMatch(
      /^Attached to standalone torc-server on http:\S+ \(db: \S+\), which another command started \(process \d+\)\n$/,
    );
    expect(status.stdout).toContain('running: 1');
    expect(await statuses(place, 1)).toEqual([['job-a', 'running']]);
    expect((await place.standalone('jobs', 'explain', '1')).stdout).toContain('Job 1 (job-a) runs on');
    expect((await place.standalone('cancel', '1', '--no-prompts')).code).toBe(0);
    // That the job ends after it was canceled is usual.
    expect((await run.ended).stderr).not.toContain('Server refused a report');
    expect(await statuses(place, 1)).toEqual([['job-a', 'canceled']]);
  });

  describe('what leads to its server', () => {
    let place: Place;
    beforeAll(async () => {
      place = placeWith('a');
      place.begin('run', 'a.json');
      await began(place, 'a');
    });

    it('a symbolic link to its database leads to its server', async () => {
      symlinkSync('torc_output/torc.db', place.inFolder('link.db'));
      expect(await statuses(place, 1, '--db', 'link.db')).toEqual([['job-a', 'running']]);
    });

    it('a copy of its folder does not lead to its server', async () => {
      cpSync(place.inFolder('torc_output'), place.inFolder('copy'), { recursive: true });
      // A commit between the copies of two files is a lost one to the server of the copy.
      rmSync(place.inFolder('copy/torc.db-commits'), { force: true });
      const { stderr } = await place.standalone('--db', 'copy/torc.db', 'workflows', 'list');
      expect(stderr).toContain('Started standalone torc-server');
    });

    it('the address of its server is for this user only', () => {
      expect(statSync(place.inFolder('torc_output/torc.db-server')).mode & 0o777).toBe(0o600);
    });

    it.each(TAMPERED.filter(([who]) => who !== 'another user wrote' || process.getuid?.() === 0))(
      'a file that %s is not trusted',
      async (_, tamper, why) => {
        const path = place.inFolder('torc_output/torc.db-server');
        const kept = `${path}-kept`;
        renameSync(path, kept);
        cpSync(kept, path);
        tamper(path);
        const { code, stderr } = await place.standalone('workflows', 'list');
        rmSync(path);
        renameSync(kept, path);
        expect(stderr).toMatch(/the database \S+ is in use by torc-server \d+ on \S+, since \S+, and -s cannot attach/);
        expect(stderr).toContain(`torc.db-server is not trusted, because ${why}`);
        expect(code).toBe(1);
      },
    );
  });
});

/** Two runs on one database, each with a job that runs: the second uses the server of the first. */
async function bothBegan() {
  const place = placeWith('a', 'b');
  const first = place.begin('run', 'a.json');
  await began(place, 'a');
  const second = place.begin('run', 'b.json');
  await began(place, 'b');
  return { place, first, second };
}

describe('a second torc -s run on the same database', () => {
  it('a second torc -s run on the same database uses the server of the first, which goes on for it when the first ends', async () => {
    const { place, first, second } = await bothBegan();
    go(place, 'a');
    const ended = await first.ended;
    expect(ended.stderr).toMatch(/^The torc-server goes on for other commands that use \S+ \(process \d+\)/m);
    expect(ended.code).toBe(0);
    expect(await statuses(place, 2)).toEqual([['job-b', 'running']]);
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect(stderr).toContain('Attached to standalone torc-server');
    expect(code).toBe(0);
    // The last one has waited for the end of the server: the database is closed and free.
    expect(existsSync(place.inFolder('torc_output/torc.db-server'))).toBe(false);
    expect(ownerOf(place.inFolder('torc_output/torc.db'))).toBeUndefined();
    expect([await statuses(place, 1), await statuses(place, 2)]).toEqual([
      [['job-a', 'completed']],
      [['job-b', 'completed']],
    ]);
  });

  it('a second torc -s run on the same database loses nothing when the first is killed', async () => {
    const { place, first, second } = await bothBegan();
    first.child.kill('SIGKILL');
    await first.ended;
    go(place, 'a');
    go(place, 'b');
    expect((await second.ended).code).toBe(0);
    expect(await statuses(place, 2)).toEqual([['job-b', 'completed']]);
  });

  it('a second torc -s run on the same database attaches again when the server was killed and the first starts it again, so that it does not end with the first', async () => {
    const { place, first, second } = await bothBegan();
    process.kill(addressIn(place).pid, 'SIGKILL');
    await first.says('starting it again');
    await second.says('Attached again to the standalone torc-server');
    go(place, 'a');
    const ended = await first.ended;
    expect([ended.code, ended.stderr]).toEqual([0, expect.stringContaining('The torc-server goes on for other')]);
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('b (workflow 2): 1 job completed')]);
    expect(await statuses(place, 2)).toEqual([['job-b', 'completed']]);
  });

  it('a second torc -s run on the same database starts the server itself when the first was killed with it, and completes its jobs', async () => {
    const { place, first, second } = await bothBegan();
    await killWithServer(place, first);
    await second.says('Started standalone torc-server');
    go(place, 'a');
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('b (workflow 2): 1 job completed')]);
    expect(await statuses(place, 2)).toEqual([['job-b', 'completed']]);
    expect(existsSync(place.inFolder('torc_output/torc.db-server'))).toBe(false);
  });

  it('a second torc -s run on the same database ends with the reason when the server that was killed refuses its database, and waits for nothing', async () => {
    const { place, first, second } = await bothBegan();
    const { pid } = addressIn(place);
    markDamage(place.inFolder('torc_output/torc.db'), 'database disk image is malformed', Date.now());
    process.kill(pid, 'SIGKILL');
    for (const each of [first, second]) await each.says('it refuses its database');
    go(place, 'a');
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Results of running jobs are kept for the next runner'),
    ]);
    expect((await first.ended).code).toBe(1);
  });

  it('a second torc -s run on the same database that was given --in-memory starts a server that ended again on disk, and loses no workflow', async () => {
    const place = placeWith('a', 'b');
    const first = place.begin('run', 'a.json');
    await began(place, 'a');
    const second = place.begin('--in-memory', 'run', 'b.json');
    await second.says('--in-memory has no effect');
    await began(place, 'b');
    go(place, 'a');
    await first.ended;
    process.kill(addressIn(place).pid, 'SIGTERM');
    await second.says('Started standalone torc-server');
    go(place, 'b');
    expect((await second.ended).code).toBe(0);
    expect([await statuses(place, 1), await statuses(place, 2)]).toEqual([
      [['job-a', 'completed']],
      [['job-b', 'completed']],
    ]);
  });

  it('a second torc -s run on the same database ends with the reason when the lock of the database is damaged, and not with an error of its own', async () => {
    const { place, first, second } = await bothBegan();
    await killWithServer(place, first);
    writeFileSync(place.inFolder('torc_output/torc.db-owner'), 'no database'.repeat(1_000));
    await second.says('is not a database');
    go(place, 'a');
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /file is not a database\. It is not started again\. Results of running jobs are kept for the next runner/,
      ),
    ]);
    expect(stderr).not.toContain('ownerOf');
  });

  it('a second torc -s run on the same database ends with the reason when a third command has started a server with another address', async () => {
    const place = placeWith('a', 'b', 'c');
    const first = place.begin('run', 'a.json');
    await began(place, 'a');
    const second = place.begin('run', 'b.json');
    await began(place, 'b');
    // Stopped, the second does not take the database before the third.
    second.child.kill('SIGSTOP');
    await killWithServer(place, first);
    const third = place.begin('run', 'c.json');
    await began(place, 'c');
    second.child.kill('SIGCONT');
    await second.says('run the command again');
    for (const name of ['a', 'b', 'c']) go(place, name);
    const { code, stderr } = await second.ended;
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/another torc-server has the database \S+ \(process \d+ on .*run the command again/),
    ]);
    expect((await third.ended).code).toBe(0);
  });

  it('a second torc -s run on the same database that starts a server again has the first use it, which could not start it', async () => {
    const { place, first, second } = await bothBegan();
    // Stopped, the first does not start it again before the second.
    first.child.kill('SIGSTOP');
    process.kill(addressIn(place).pid, 'SIGKILL');
    await second.says('Started standalone torc-server');
    first.child.kill('SIGCONT');
    await first.says('Attached again to the standalone torc-server');
    go(place, 'a');
    go(place, 'b');
    expect((await first.ended).code).toBe(0);
    expect((await second.ended).code).toBe(0);
    expect([await statuses(place, 1), await statuses(place, 2)]).toEqual([
      [['job-a', 'completed']],
      [['job-b', 'completed']],
    ]);
  });

  it('a second torc -s run on the same database may start at the same moment: one starts the server, the other attaches', async () => {
    const place = placeWith('a', 'b');
    go(place, 'a');
    go(place, 'b');
    const both = await Promise.all([place.standalone('run', 'a.json'), place.standalone('run', 'b.json')]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(both.map(({ stderr }) => /in use|Error/.test(stderr))).toEqual([false, false]);
    const found = new Map([...(await statuses(place, 1)), ...(await statuses(place, 2))] as [string, string][]);
    expect(Object.fromEntries(found)).toEqual({ 'job-a': 'completed', 'job-b': 'completed' });
  });
});

/** Another program listens at the address of a server that has ended; gives what it is sent. */
async function strangerAt({ url }: Address): Promise<string[]> {
  const seen: string[] = [];
  const stranger = createServer((incoming, outgoing) => {
    seen.push(JSON.stringify([incoming.url, incoming.headers]));
    outgoing.end('{}');
  });
  const { port } = new URL(url);
  // A process that was killed has its port until the kernel has ended it.
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        stranger.removeAllListeners('error').once('error', () => resolve(false));
        stranger.listen(Number(port), '127.0.0.1', () => resolve(true));
      }),
    (listens) => listens,
    'the port of the killed server to be free',
  );
  onTestFinished(() => void stranger.close());
  return seen;
}

describe('a program that has the port of a server that was killed', () => {
  it('a program that has the port of a server that was killed is sent no credential by a run that used it, whose job ends meanwhile', async () => {
    const { place, first, second } = await bothBegan();
    const address = addressIn(place);
    await killWithServer(place, first);
    const seen = await strangerAt(address);
    go(place, 'a');
    go(place, 'b');
    await second.says('it ended at once');
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.filter((each) => !each.includes('/attach'))).toEqual([]);
    expect(seen.join()).not.toContain('authorization');
  });
});

describe('a file that a killed server left behind', () => {
  it('a file that a killed server left behind does not lead a command to another program that has its port now: the next command starts a server of its own', async () => {
    const place = placeWith('a');
    const run = place.begin('run', 'a.json');
    await began(place, 'a');
    const address = addressIn(place);
    await killWithServer(place, run);
    go(place, 'a');

    const seen = await strangerAt(address);
    const { code, stderr } = await place.standalone('workflows', 'list');
    expect([code, stderr.startsWith('Started standalone torc-server')]).toEqual([0, true]);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('/attach');
    expect(seen[0]).not.toContain(address.credential);
    expect(seen[0]).not.toContain('authorization');
  });
});

describe('while torc -s --in-memory run works', () => {
  it('other -s commands see its workflow, and a second run is in the copy too', async () => {
    const place = placeWith('a', 'b');
    const first = place.begin('--in-memory', 'run', 'a.json');
    await began(place, 'a');
    expect(await statuses(place, 1)).toEqual([['job-a', 'running']]);
    const second = place.begin('--in-memory', 'run', 'b.json');
    await began(place, 'b');
    go(place, 'a');
    expect((await first.ended).code).toBe(0);
    go(place, 'b');
    const { code, stderr } = await second.ended;
    expect(stderr).toContain('in memory, copied to ./torc_output/torc.db at the end');
    expect(code).toBe(0);
    expect(existsSync(place.inFolder('torc_output/torc.db-server'))).toBe(false);
    expect([await statuses(place, 1), await statuses(place, 2)]).toEqual([
      [['job-a', 'completed']],
      [['job-b', 'completed']],
    ]);
  });

  it('both runs end with the reason when the server is killed, as its database was in its memory, and wait for nothing', async () => {
    const place = placeWith('a', 'b');
    const first = place.begin('--in-memory', 'run', 'a.json');
    await began(place, 'a');
    const second = place.begin('--in-memory', 'run', 'b.json');
    await began(place, 'b');
    process.kill(addressIn(place).pid, 'SIGKILL');
    go(place, 'a');
    go(place, 'b');
    for (const each of [first, second]) {
      const { code, stderr } = await each.ended;
      expect([code, stderr]).toEqual([1, expect.stringContaining('memory')]);
    }
  });

  it('a command after kill -9 starts from the database on disk, not from a file that is left', async () => {
    const place = placeWith('a');
    const run = place.begin('--in-memory', 'run', 'a.json');
    await began(place, 'a');
    await killWithServer(place, run);
    go(place, 'a');
    expect((await place.standalone('--in-memory', 'run', 'a.json')).code).toBe(0);
    expect(await statuses(place, 1)).toEqual([['job-a', 'completed']]);
  });
});

it('a server that no -s command started is named, with what to do, and no command waits for its address', async () => {
  const place = placeWith();
  const { program } = await startServer(place.folder, { database: 'own.db' });
  const { code, stderr } = await place.standalone('--db', 'own.db', 'workflows', 'list');
  expect(stderr).toContain(`the database own.db is in use by torc-server ${program.child.pid} on `);
  expect(stderr).toContain('which no -s command started; use it with --url and without -s');
  expect(code).toBe(1);
});
