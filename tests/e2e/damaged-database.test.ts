import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { markDamage } from '../../src/server/store/damage.ts';
import { start, startServer, temporaryFolder, torc, until } from '../support/programs.ts';

let cwd: string;
let database: string;

beforeEach(() => {
  cwd = temporaryFolder();
  database = join(cwd, 'server.db');
});

/** Overwrites the first page of a table, as a disk or a copy that went wrong does. */
function damage(table: string): void {
  const db = new DatabaseSync(database, { readOnly: true });
  const { rootpage } = db.prepare('select rootpage from sqlite_schema where name = ?').get(table) as {
    rootpage: number;
  };
  db.close();
  const fd = openSync(database, 'r+');
  writeSync(fd, Buffer.alloc(4096, 0xa5), 0, 4096, (rootpage - 1) * 4096);
  closeSync(fd);
}

const serverCommand = (...words: string[]) => start('torc-server', words, { cwd }).ended;
const check = () => serverCommand('check', '--database', 'server.db');

/** A server with a workflow of two jobs that has ended. */
async function ended(): Promise<void> {
  const { client, program } = await startServer(cwd);
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'u' } });
  for (const name of ['one', 'two']) await client.createJob({ body: { workflow_id: id, name, command: 'true' } });
  program.child.kill('SIGTERM');
  expect((await program.ended).code).toBe(0);
}

describe('a damaged database', () => {
  it.each([
    ['job', (url: string) => fetch(`${url}/jobs?workflow_id=1`)],
    [
      'event',
      (url: string) =>
        fetch(`${url}/events`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ workflow_id: 1, timestamp: 1, data: {} }),
        }),
    ],
  ])('a server that meets a damaged page says so to its callers, ends, and starts no more: %s', async (table, ask) => {
    await ended();
    copyFileSync(database, join(cwd, 'copy.db'));
    damage(table);
    const { url, program } = await startServer(cwd);
    const reply = await ask(url);
    expect([reply.status, await reply.json()]).toEqual([
      503,
      {
        error: expect.objectContaining({
          code: 'DATABASE_DAMAGED',
          message: expect.stringContaining('the database of the server is damaged'),
          remedy: expect.stringContaining('torc-server check'),
        }),
      },
    ]);
    const later = await fetch(`${url}/workflows`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'late', user: 'u' }),
    }).catch(() => undefined);
    expect(later?.ok ?? false).toBe(false);
    const { code, stderr } = await program.ended;
    expect([code, stderr]).toEqual([74, expect.stringContaining('The database is damaged; the server stops')]);

    const again = await serverCommand('run', '--port', '0', '--database', 'server.db');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is damaged, as a server found')]);
    const found = await check();
    expect([found.code, found.stdout, found.stderr]).toEqual([
      1,
      expect.stringContaining('pages of the file:\n'),
      expect.stringContaining('Move the file away with its -wal and -shm'),
    ]);

    copyFileSync(join(cwd, 'copy.db'), database);
    const passed = await check();
    expect([passed.code, passed.stdout]).toEqual([0, expect.stringContaining('nothing is wrong; a server may use it')]);
    const { client } = await startServer(cwd);
    expect((await client.listWorkflows({ query: {} })).items.map(({ name }) => name)).toEqual(['w']);
  });

  it('torc run says that the database is damaged and ends, and starts no job', async () => {
    await ended();
    damage('result');
    const { url } = await startServer(cwd);
    const { code, stderr } = await torc(['--url', url, 'run', '1'], { cwd });
    expect([code, stderr]).toEqual([1, expect.stringContaining('damaged')]);
  });
});

describe('what a repair saves of a damaged database', () => {
  it('a repair of a database in which a server met damage saves what can be read, and after a restore a server goes on with it', async () => {
    await ended();
    damage('job');
    markDamage(database, 'database disk image is malformed', Date.now());
    const before = readFileSync(database);
    const { code, stdout, stderr } = await serverCommand('check', '--database', 'server.db', '--repair', 'saved.db');
    expect([code, stdout.split('\n')]).toEqual([
      0,
      expect.arrayContaining([
        'Saved what can be read of server.db in saved.db:',
        expect.stringMatching(/^workflow +1 +0$/),
        // An index says how many there were.
        expect.stringMatching(/^job +0 +2$/),
      ]) as string[],
    ]);
    expect(stderr).toContain('torc-server restore saved.db --database server.db');
    expect(readFileSync(database).equals(before)).toBe(true);
    const again = await serverCommand('check', '--database', 'server.db', '--repair', 'saved.db');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('saved.db is there already')]);

    expect((await serverCommand('restore', 'saved.db', '--database', 'server.db')).code).toBe(0);
    expect((await check()).code).toBe(0);
    const { client } = await startServer(cwd);
    expect((await client.listWorkflows({ query: {} })).items.map(({ name }) => name)).toEqual(['w']);
    expect((await client.listJobs({ query: { workflow_id: 1 } })).items).toEqual([]);
  });

  it('a repair of a database that a server uses is refused, and no file is made', async () => {
    await startServer(cwd);
    const { code, stderr } = await serverCommand('check', '--database', 'server.db', '--repair', 'saved.db');
    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by torc-server')]);
    expect(existsSync(join(cwd, 'saved.db'))).toBe(false);
  });
});

describe('a server that is killed when it has met damage', () => {
  it('a server killed between its mark of damage and its end leaves the mark, a check names the fault, and a copy begins again', async () => {
    await ended();
    copyFileSync(database, join(cwd, 'copy.db'));
    damage('event');
    const { client, program } = await startServer(cwd);
    // In the log, which no one copies into the file any more.
    await client.createWorkflow({ body: { name: 'late', user: 'u' } });
    markDamage(database, 'database disk image is malformed', Date.now());
    program.child.kill('SIGKILL');
    await program.ended;
    const again = await serverCommand('run', '--port', '0', '--database', 'server.db');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('database disk image is malformed')]);
    expect((await check()).code).toBe(1);
    for (const end of ['-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
    copyFileSync(join(cwd, 'copy.db'), database);
    expect((await check()).code).toBe(0);
    // The copy is older than what the killed server acknowledged, which is said before it begins again.
    const older = await serverCommand('run', '--port', '0', '--database', 'server.db');
    expect([older.code, older.stderr]).toEqual([1, expect.stringContaining('lacks the last 1 of')]);
    rmSync(`${database}-commits`);
    const next = await startServer(cwd);
    expect((await next.client.listWorkflows({ query: {} })).items.map(({ name }) => name)).toEqual(['w']);
  });

  it('a server killed before its mark leaves none, and the next one meets the damage and marks it', async () => {
    await ended();
    damage('job');
    const { program } = await startServer(cwd);
    program.child.kill('SIGKILL');
    await program.ended;
    expect(existsSync(`${database}-damaged`)).toBe(false);
    const next = await startServer(cwd);
    expect((await fetch(`${next.url}/jobs?workflow_id=1`)).status).toBe(503);
    expect((await next.program.ended).code).toBe(74);
    expect(readFileSync(`${database}-damaged`, 'utf8')).toContain('malformed');
  });
});

describe('a database that a standalone server refuses for good while a run uses it', () => {
  it('torc -s run says why at once, lets its running job end, keeps its result for the next run, and waits for no server', async () => {
    const job = 'touch began; until test -e go; do sleep 0.05; done; echo done > out';
    writeFileSync(join(cwd, 'flow.json'), JSON.stringify({ name: 'w', jobs: [{ name: 'a', command: job }] }));
    const run = start('torc', ['-s', 'run', 'flow.json'], { cwd });
    await until(() => existsSync(join(cwd, 'began')), Boolean, 'the job to begin');
    const file = join(cwd, 'torc_output/torc.db');
    const { pid } = JSON.parse(readFileSync(`${file}-server`, 'utf8')) as { pid: number };
    markDamage(file, 'database disk image is malformed', Date.now());
    process.kill(pid, 'SIGKILL');
    await run.says('It is not started again. Results of running jobs are kept for the next runner');
    writeFileSync(join(cwd, 'go'), '');
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('database disk image is malformed')]);
    expect(readFileSync(join(cwd, 'out'), 'utf8')).toBe('done\n');

    expect((await start('torc-server', ['check', '--database', file], { cwd }).ended).code).toBe(0);
    const next = await torc(['-s', 'run', '1'], { cwd });
    expect(next.code).toBe(0);
    expect(JSON.parse((await torc(['-s', '-f', 'json', 'results', 'list', '1'], { cwd })).stdout)).toMatchObject({
      items: [{ return_code: 0, attempt_id: 1 }],
    });
  });
});

describe('a database that has lost its file', () => {
  it.each([
    ['gone', () => rmSync(database)],
    ['empty', () => truncateSync(database, 0)],
  ])('a database file that is %s beside its log is refused, and the log stays', async (what, lose) => {
    const { client, program } = await startServer(cwd);
    await client.createWorkflow({ body: { name: 'w', user: 'u' } });
    program.child.kill('SIGKILL');
    await program.ended;
    const copy = readFileSync(database);
    const bytes = statSync(`${database}-wal`).size;
    expect(bytes).toBeGreaterThan(0);
    lose();
    const { code, stderr } = await serverCommand('run', '--port', '0', '--database', 'server.db');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `the database server.db is ${what}, but its write-ahead log ${database}-wal has ${bytes} bytes`,
      ),
    ]);
    expect(statSync(`${database}-wal`).size).toBe(bytes);
    writeFileSync(database, copy);
    const server = await startServer(cwd);
    expect((await server.client.listWorkflows({ query: {} })).items.map(({ name }) => name)).toEqual(['w']);
  });

  it('a database that its user deletes after its server ended begins anew', async () => {
    await ended();
    rmSync(database);
    const { client } = await startServer(cwd);
    expect((await client.listWorkflows({ query: {} })).items).toEqual([]);
  });
});

describe('which file is opened', () => {
  it.each(['file:server.db', 'file:server.db?nolock=1', 'sqlite://server.db', './server.db'])(
    'a server that names the database of another one in another way is refused: %s',
    async (name) => {
      await startServer(cwd);
      const { code, stderr } = await serverCommand('run', '--port', '0', '--database', name);
      expect([code, stderr]).toEqual([1, expect.stringContaining('is in use by torc-server')]);
      expect(existsSync(join(cwd, name))).toBe(name === './server.db');
    },
  );

  it.each([
    ['tables of other names', 'create table notes (text)', 'notes'],
    ['a version of its own', 'create table notes (text); pragma user_version = 5', 'notes'],
    [
      'tables of Torc 1.0',
      'create table _sqlx_migrations (x); create table workflow (x)',
      '_sqlx_migrations, workflow',
    ],
  ])('a database of another program is refused and stays as it is: %s', async (_, sql, tables) => {
    const other = new DatabaseSync(database);
    other.exec(sql);
    other.close();
    const before = readFileSync(database);
    const { code, stderr } = await serverCommand('run', '--port', '0', '--database', 'server.db');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `tables of another program, for instance of Torc itself, whose workflows cannot be used: ${tables}`,
      ),
    ]);
    expect(readFileSync(database).subarray(100).equals(before.subarray(100))).toBe(true);
  });
});
