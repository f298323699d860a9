import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { createChangeLog } from './changes.ts';
import { type CheckpointLimits, createCheckpoints } from './checkpoints.ts';
import { type Logged, openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { createSharedTurns } from './turn.ts';

const PAGE = 4_096;

function opened(limits: CheckpointLimits) {
  const path = join(temporaryFolder(), 'torc.db');
  const db = openDatabase(path);
  migrateDatabase(db);
  db.run('create table note (text text not null) strict');
  const checkpoints = createCheckpoints(db, path, limits);
  const broken: unknown[] = [];
  const changes = createChangeLog(db, () => 0);
  const turns = createSharedTurns(db, changes, { onBroken: (error) => broken.push(error), checkpoints });
  const insert = db.prepare<{ text: string }>('insert into note (text) values (:text)');
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    await checkpoints.close();
    db.close();
  };
  onTestFinished(close);
  return {
    path,
    db,
    broken,
    close,
    logged: () => db.logged() as Logged,
    /** One commit of so many pages, and a few more. */
    write: (pages: number) => turns.write(() => insert.run({ text: 'x'.repeat(pages * PAGE) })),
  };
}

it('the log is copied into the file in another thread, and begins anew however long writes go on', async () => {
  const { write, logged, broken } = opened({ begin: 50, limit: 0 });
  let longest = 0;
  // On a busy machine the thread gets its turns late: then more is written meanwhile. Without copies it grows on.
  for (let begins = 0, before = 0; begins < 3;) {
    await write(10);
    const { pages } = logged();
    expect(pages).toBeLessThan(50_000);
    if (pages < before) begins += 1;
    before = pages;
    longest = Math.max(longest, pages);
  }
  expect(longest).toBeGreaterThanOrEqual(50);
  expect(broken).toEqual([]);
});

it('a reader that keeps the log from beginning anew keeps no write waiting', async () => {
  const { path, write, logged } = opened({ begin: 50, limit: 0 });
  const reader = openDatabase(path, { isReadOnly: true });
  reader.run('begin');
  reader.prepare('select count(*) from note').get({});
  for (let commit = 0; commit < 200; commit += 1) await write(10);
  expect(logged().pages).toBeGreaterThan(2_000);
  reader.run('commit');
  reader.close();
  const before = logged().pages;
  for (let commit = 0; commit < 20; commit += 1) await write(10);
  expect(logged().pages).toBeLessThan(before);
});

it('a small log is not copied before the database is closed, and then everything is in the file', async () => {
  const { path, write, logged, close } = opened({ begin: 1_000, limit: 16_000 });
  for (let commit = 0; commit < 10; commit += 1) await write(1);
  expect(logged().copied).toBe(0);
  await close();
  const again = openDatabase(path);
  onTestFinished(() => again.close());
  expect(again.prepare<Record<string, never>, { notes: number }>('select count(*) as notes from note').get({})).toEqual(
    {
      notes: 10,
    },
  );
});

it('a thread that cannot copy stops no write', async () => {
  const { path, write, db, broken } = opened({ begin: 50, limit: 300 });
  const nowhere = createCheckpoints(db, join(path, 'no', 'such', 'file'), { begin: 50, limit: 300 });
  onTestFinished(() => nowhere.close());
  await write(100);
  void nowhere.afterCommit();
  await write(250);
  await nowhere.afterCommit();
  await write(1);
  expect(broken).toEqual([]);
});
