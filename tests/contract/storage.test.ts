import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startServer, temporaryFolder, until } from '../support/programs.ts';

/** What others do to the file of a server. */

const make = (name: string) => ({ body: { name, user: 'ada' } });

/** Another program that holds the lock for writing until it is asked to end. */
async function lockedBy(database: string) {
  const script = `
    const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 10_000 });
    db.exec('begin immediate');
    process.stdout.write('locked');
    process.stdin.once('data', () => { db.exec('rollback'); process.exit(); });`;
  const child = spawn(process.execPath, ['-e', script, database], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return {
    async release() {
      child.stdin.write('now');
      await once(child, 'exit');
    },
  };
}

describe('while another program holds the lock of the database', () => {
  it('while another program holds the lock of the database writes wait, reads and everything else are answered, and all goes on when the lock is gone', async () => {
    const folder = temporaryFolder();
    const { client, program } = await startServer(folder);
    await client.createWorkflow(make('before'));
    const lock = await lockedBy(join(folder, 'server.db'));
    let isAnswered = false;
    const write = client.createWorkflow(make('meanwhile')).finally(() => {
      isAnswered = true;
    });
    await program.says('Another program holds the lock of the database');
    let longestMs = 0;
    for (let count = 0; count < 20; count += 1) {
      const startedAt = performance.now();
      expect((await client.listWorkflows({})).items.map(({ name }) => name)).toEqual(['before']);
      longestMs = Math.max(longestMs, performance.now() - startedAt);
    }
    // Five seconds in each attempt, when the database itself waited for the lock.
    expect([isAnswered, longestMs < 1_000]).toEqual([false, true]);
    await lock.release();
    expect(await write).toMatchObject({ name: 'meanwhile' });
    expect((await client.listWorkflows({})).items).toHaveLength(2);
    await program.says('The lock of the database is free again');
  });

  it('a write is refused with 503 after a while, nothing of it is done, and the server goes on', async () => {
    const folder = temporaryFolder();
    const { url, client } = await startServer(folder);
    const lock = await lockedBy(join(folder, 'server.db'));
    const answer = await fetch(`${url}/workflows`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(make('refused').body),
    });
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1']);
    expect(await answer.json()).toMatchObject({ error: { code: 'DATABASE_LOCKED' } });
    await lock.release();
    await client.createWorkflow(make('after'));
    expect((await client.listWorkflows({})).items.map(({ name }) => name)).toEqual(['after']);
  });
});

it('of 400 writes that wait for the lock of another program none waits until the others are refused', async () => {
  const folder = temporaryFolder();
  const { client } = await startServer(folder);
  const lock = await lockedBy(join(folder, 'server.db'));
  const startedAt = performance.now();
  const writes = Array.from({ length: 400 }, (_, index) => client.createWorkflow(make(`w${index}`)));
  const outcomes = await Promise.allSettled(writes);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  // Each is refused after 5 s: one after another they would take 2,000 s. A busy machine takes its time for 400 requests.
  expect(performance.now() - startedAt).toBeLessThan(200_000);
  await lock.release();
});

describe('a database that is taken away from its server', () => {
  const taken: [string, (path: string) => void][] = [
    ['deleted', (path) => rmSync(path)],
    ['moved away', (path) => renameSync(path, `${path}.old`)],
    [
      'replaced by a copy',
      (path) => {
        copyFileSync(path, `${path}.copy`);
        renameSync(`${path}.copy`, path);
      },
    ],
    ['left without its log', (path) => rmSync(`${path}-wal`)],
  ];

  it.each(taken)(
    'a database that is taken away from its server because it is %s: nothing more is acknowledged, and the server says why it ends',
    async (_, take) => {
      const folder = temporaryFolder();
      const { client, program } = await startServer(folder);
      await client.createWorkflow(make('before'));
      take(join(folder, 'server.db'));
      await expect(client.createWorkflow(make('lost'))).rejects.toThrow();
      const { code, stderr } = await program.ended;
      expect(code).toBe(74);
      expect(stderr).toMatch(/server\.db(-wal)? was (deleted|replaced by another file) while it was in use/);
    },
  );

  it('a database that is taken away from its server is noticed by a server that has nothing to write', async () => {
    const folder = temporaryFolder();
    const { program } = await startServer(folder);
    rmSync(join(folder, 'server.db'));
    expect(await program.ended).toMatchObject({ code: 74 });
  });

  it('a reader beside the server, or a copy made by SQLite, takes nothing away', async () => {
    const folder = temporaryFolder();
    const { client } = await startServer(folder);
    await client.createWorkflow(make('before'));
    const reader = new DatabaseSync(join(folder, 'server.db'));
    reader.exec(`pragma wal_checkpoint(truncate); vacuum into '${join(folder, 'copy.db')}'`);
    reader.close();
    expect(await client.createWorkflow(make('after'))).toMatchObject({ name: 'after' });
    await until(
      () => readFileSync(join(folder, 'copy.db')).length,
      (bytes) => bytes > 0,
      'the copy',
    );
  });
});
