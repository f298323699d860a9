import { describe, expect, it } from 'vitest';
import { testService } from '../../../tests/support/service.ts';
import { createChangeLog } from './changes.ts';
import { type Database, type NoParameters, openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations, tables } from './migrations.gen.ts';
import { createSharedTurns } from './turn.ts';

const counted = () => {
  const db = openDatabase(':memory:');
  migrateDatabase(db);
  db.run('create table note (text text not null unique) strict');
  const changes = createChangeLog(db, () => 0);
  const broken: unknown[] = [];
  const turns = createSharedTurns(db, changes, { onBroken: (error) => broken.push(error) });
  const insert = db.prepare<{ text: string }>('insert into note (text) values (:text)');
  const notes = db.prepare<Record<string, never>, { text: string }>('select text from note order by text');
  return {
    db,
    changes,
    turns,
    broken,
    add: (text: string) => insert.run({ text }),
    notes: () => notes.all({}).map(({ text }) => text),
  };
};

describe('writes of one event-loop iteration', () => {
  it('writes of one event-loop iteration share a transaction: nothing is visible, and no request is answered, before it is committed', async () => {
    const { turns, add, notes } = counted();
    const answered: string[] = [];
    const first = turns.write(() => add('a')).then(() => answered.push('a'));
    const second = turns.write(() => add('b')).then(() => answered.push('b'));
    expect([notes(), answered]).toEqual([[], []]);
    await Promise.all([first, second]);
    expect([notes(), answered]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('writes of one event-loop iteration are rolled back one by one: a failing write affects only itself', async () => {
    const { turns, add, notes, changes } = counted();
    const heard: unknown[] = [];
    changes.subscribe(1, (change) => heard.push(change.entries));
    const outcomes = await Promise.allSettled([
      turns.write(() => {
        add('a');
        changes.record(1, 'jobs_ready', ['kept']);
      }),
      turns.write(() => {
        add('half');
        changes.record(1, 'jobs_ready', ['lost']);
        throw new Error('no');
      }),
      turns.write(() => add('c')),
    ]);
    await turns.idle();
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(notes()).toEqual(['a', 'c']);
    expect(heard).toEqual([['kept']]);
  });

  it('a single write is rolled back as a whole', async () => {
    const { turns, add, notes, changes } = counted();
    const heard: unknown[] = [];
    changes.subscribe(1, (change) => heard.push(change.entries));
    const failed = turns.write(() => {
      add('half');
      changes.record(1, 'jobs_ready', ['lost']);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    await turns.write(() => add('a'));
    await turns.idle();
    expect([notes(), heard]).toEqual([['a'], []]);
  });

  it('no write is acknowledged when the commit fails, nor any later one', async () => {
    const { db, turns, add, broken } = counted();
    db.run('pragma foreign_keys = on; create table parent (id integer primary key); ');
    db.run('create table child (id integer references parent deferrable initially deferred)');
    const orphan = db.prepare('insert into child values (7)');
    const outcomes = await Promise.allSettled([turns.write(() => add('a')), turns.write(() => orphan.run({}))]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(broken).toHaveLength(1);
    await expect(turns.write(() => add('b'))).rejects.toThrow('FOREIGN KEY');
  });
});

it('clients are notified of a change after its commit, never before', async () => {
  const { store } = testService();
  const seen: number[] = [];
  const rows = store.db.prepare<Record<string, never>, { n: number }>('select count(*) as n from change_log');
  store.changes.subscribe(1, () => seen.push(rows.get({})?.n ?? 0));
  await store.turns.write(() => store.changes.record(1, 'jobs_ready', [1]));
  await store.turns.idle();
  expect(seen).toEqual([1]);
});

describe('migrations', () => {
  it('migrations change nothing the second time', () => {
    const db = openDatabase(':memory:');
    migrateDatabase(db);
    migrateDatabase(db);
  });

  it('migrations update an older database and lose no data', () => {
    const db = openDatabase(':memory:');
    db.run(migrations[0]?.sql ?? '');
    db.run("pragma user_version = 1; insert into workflow (name, user, timestamp) values ('old', 'u', 't')");
    migrateDatabase(db);
    const names = db.prepare<Record<string, never>, { name: string }>('select name from workflow').all({});
    expect(names.map(({ name }) => name)).toEqual(['old']);
    expect(db.prepare('select * from remote_worker').all({})).toEqual([]);
  });

  it('a new database has the tables and rows that the migrations make one after the other', () => {
    const [atOnce, inSteps] = [openDatabase(':memory:'), openDatabase(':memory:')];
    migrateDatabase(atOnce);
    for (const { sql } of migrations) inSteps.run(sql);
    const schemaOf = (db: Database) =>
      db.prepare<NoParameters, object>('select type, name, tbl_name, sql from sqlite_schema order by name').all({});
    expect(schemaOf(atOnce)).toEqual(schemaOf(inSteps));
    inSteps.run('insert into older_programs select * from (values (1, 1))');
    // But for the time and the random name in them.
    const rowsOf = (db: Database) =>
      tables.map((table) => [table, db.prepare<NoParameters, object>(`select * from ${table}`).all({}).length]);
    expect(rowsOf(atOnce)).toEqual(rowsOf(inSteps));
    const groups = 'select id, name, description, is_system from access_group';
    const groupsOf = (db: Database) => db.prepare<NoParameters, object>(groups).all({});
    expect(groupsOf(atOnce)).toEqual(groupsOf(inSteps));
    expect(groupsOf(atOnce)).toHaveLength(1);
  });

  it('migrations refuse a database of another program, whatever its version, and accept further tables of administrators', () => {
    for (const version of [0, 1, migrations.length]) {
      const db = openDatabase(':memory:');
      db.run(`create table notes (id integer primary key); pragma user_version = ${version}`);
      expect(() => migrateDatabase(db)).toThrow('contains tables of another program');
      expect(db.prepare<NoParameters, { name: string }>('select name from sqlite_schema').all({})).toEqual([
        { name: 'notes' },
      ]);
    }
    const own = openDatabase(':memory:');
    migrateDatabase(own);
    own.run('create table of_administrators (id integer primary key)');
    migrateDatabase(own);
  });

  it('migrations refuse a database that a newer version wrote, and name both versions', () => {
    const db = openDatabase(':memory:');
    db.run('pragma user_version = 999');
    expect(() => migrateDatabase(db)).toThrow(/has version 999; this torc knows versions up to \d+/);
  });

  it('migrations use a database of a newer version as it is where that allows programs of this one, and else refuse it', () => {
    const db = openDatabase(':memory:');
    migrateDatabase(db);
    db.run('alter table workflow add column later text; pragma user_version = 999');
    migrateDatabase(db);
    expect(db.prepare('pragma user_version').get({})).toEqual({ user_version: 999 });
    db.run(`update older_programs set oldest = ${migrations.length + 1}`);
    expect(() => migrateDatabase(db)).toThrow('has version 999');
    db.run(`update older_programs set oldest = 1; create trigger strange after insert on job begin select 1; end`);
    expect(() => migrateDatabase(db)).toThrow('trigger strange');
  });
});
