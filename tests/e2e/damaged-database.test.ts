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
import { start, startServer, temporaryFolder, torc } from '../support/programs.ts';

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
