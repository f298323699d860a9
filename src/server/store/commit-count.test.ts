import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { clientOf } from '../../../tests/support/service.ts';
import { serve } from '../serve.ts';

const fail = (error: unknown) => {
  throw error;
};

async function opened(database: string) {
  const service = await serve({ database, host: '127.0.0.1', port: 0, onError: fail, onBroken: fail });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await service.close();
    isOpen = false;
  };
  onTestFinished(close);
  return { client: clientOf(service.port), close };
}

const namesIn = async (database: string) => {
  const { client, close } = await opened(database);
  const { items } = await client.listWorkflows();
  await close();
  return items.map(({ name }) => name);
};

/** The files of a database as a kill at this moment would leave them, in a folder of their own. */
function leftByKill(database: string): string {
  const folder = temporaryFolder();
  for (const end of ['', '-wal', '-commits']) copyFileSync(`${database}${end}`, join(folder, `torc.db${end}`));
  return join(folder, 'torc.db');
}

const LOST = expect.objectContaining({ code: 'CHANGES_LOST' });
/** A page with its header, in the log. */
const FRAME = 4_096 + 24;

let database: string;
let killed: string;
let earlier: string;
beforeEach(async () => {
  database = join(temporaryFolder(), 'torc.db');
  const { client, close } = await opened(database);
  await client.createWorkflow({ body: { name: 'first', user: 'u' } });
  earlier = leftByKill(database);
  await client.createWorkflow({ body: { name: 'second', user: 'u' } });
  killed = leftByKill(database);
  await close();
});

it('a database whose server was killed has all that was acknowledged', async () => {
  expect(await namesIn(killed)).toEqual(['first', 'second']);
  expect(await namesIn(earlier)).toEqual(['first']);
});

it.each([
  [
    'its log was cut within the last commit',
    () => truncateSync(`${killed}-wal`, statSync(`${killed}-wal`).size - FRAME / 2),
  ],
  ['its log was cut in half', () => truncateSync(`${killed}-wal`, statSync(`${killed}-wal`).size / 2)],
  ['its log was deleted', () => rmSync(`${killed}-wal`)],
  ['the log of an earlier moment was put in its place', () => copyFileSync(`${earlier}-wal`, `${killed}-wal`)],
  [
    'an earlier copy was put in its place',
    () => {
      for (const end of ['', '-wal']) copyFileSync(`${earlier}${end}`, `${killed}${end}`);
    },
  ],
])('a database is refused when %s, and used as it is when the count beside it is deleted', async (_what, damage) => {
  damage();
  await expect(opened(killed)).rejects.toThrow(LOST);
  await expect(opened(killed)).rejects.toThrow(/lacks the last \d+ of \d+ commits/);
  rmSync(`${killed}-commits`);
  expect(await namesIn(killed)).not.toContain('second');
});

it('a database whose log was copied into it by another program has all that was acknowledged', async () => {
  new DatabaseSync(killed).exec('select * from sqlite_schema; pragma wal_checkpoint(truncate)');
  expect(await namesIn(killed)).toEqual(['first', 'second']);
});

it('a database that was deleted is made anew beside the count of the old one', async () => {
  for (const end of ['', '-wal']) rmSync(`${killed}${end}`);
  expect(await namesIn(killed)).toEqual([]);
});

it('the count of another database proves nothing', async () => {
  const other = join(temporaryFolder(), 'torc.db');
  await (await opened(other)).close();
  copyFileSync(`${killed}-commits`, `${other}-commits`);
  expect(await namesIn(other)).toEqual([]);
});

it('a server that ends leaves no count, and an earlier copy may be put in its place', async () => {
  expect(readdirSync(join(database, '..'))).toEqual(['torc.db']);
  const { close } = await opened(earlier);
  await close();
  copyFileSync(earlier, database);
  expect(await namesIn(database)).toEqual(['first']);
});

it('a request that changes nothing is not counted', async () => {
  const { client } = await opened(database);
  const id = (await client.listWorkflows()).items[0]?.id as number;
  const count = () => readFileSync(`${database}-commits`, 'utf8');
  const claim = () => client.claimNextJobs({ params: { id }, query: { limit: 1 } });
  await claim();
  const before = count();
  await claim();
  expect(count()).toBe(before);
  await client.cancelWorkflow({ params: { id } });
  expect(count()).not.toBe(before);
});
