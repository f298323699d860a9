import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../store/database.ts';
import { copyBeforeMigration, migrateDatabase } from '../store/migrate.ts';
import { migrations } from '../store/migrations.gen.ts';
import { ownDatabase } from '../store/own.ts';
import { backUp, restore } from './backup.ts';

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'torc-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

/** A database with these workflows; it stays open, so that the last changes are in its log alone. */
function databaseWith(path: string, ...names: string[]) {
  const db = openDatabase(path);
  migrateDatabase(db);
  for (const name of names) add(db, name);
  return db;
}

const add = (db: ReturnType<typeof openDatabase>, name: string) =>
  db
    .prepare<{ name: string }>("insert into workflow (name, user, timestamp) values (:name, 'u', '2026')")
    .run({ name });

function namesIn(path: string): unknown[] {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare('select name from workflow order by id')
      .all()
      .map((row) => row['name']);
  } finally {
    db.close();
  }
}

const now = new Date('2026-01-02T03:04:05.678Z');
const restored = () => restore(at('copy.db'), at('torc.db'), now, { trustsOwner: false });
const refused = (code: string) => expect.objectContaining({ code });

describe('a backup', () => {
  it('a backup has what its server has committed, also what is in the log alone, and can be read by its user alone', () => {
    const db = databaseWith(at('torc.db'), 'one', 'two');
    const { workflows, jobs, sizeBytes } = backUp(at('torc.db'), at('copy.db'), false);
    expect([workflows, jobs, sizeBytes]).toEqual([2, 0, statSync(at('copy.db')).size]);
    add(db, 'later');
    expect(namesIn(at('copy.db'))).toEqual(['one', 'two']);
    expect(statSync(at('copy.db')).mode & 0o777).toBe(0o600);
    db.close();
  });

  it('a backup replaces no file unless it is asked to, and never the database', () => {
    databaseWith(at('torc.db'), 'one').close();
    writeFileSync(at('copy.db'), 'mine');
    expect(() => backUp(at('torc.db'), at('copy.db'), false)).toThrow(refused('BACKUP_REFUSED'));
    expect(readFileSync(at('copy.db'), 'utf8')).toBe('mine');
    expect(() => backUp(at('torc.db'), at('torc.db'), true)).toThrow('is the database itself');
    backUp(at('torc.db'), at('copy.db'), true);
    expect(namesIn(at('copy.db'))).toEqual(['one']);
  });

  it('a backup of nothing, of another program and of a damaged database is refused, and leaves no file', () => {
    expect(() => backUp(at('no.db'), at('copy.db'), false)).toThrow(refused('NOT_FOUND'));
    new DatabaseSync(at('other.db')).exec('create table t (x)');
    expect(() => backUp(at('other.db'), at('copy.db'), false)).toThrow(refused('BACKUP_REFUSED'));
    databaseWith(at('torc.db'), 'one').close();
    truncateSync(at('torc.db'), 20_000);
    expect(() => backUp(at('torc.db'), at('copy.db'), false)).toThrow(refused('DATABASE_DAMAGED'));
    expect(() => backUp(at('other.db'), '/proc/copy.db', false)).toThrow(refused('FILE_UNWRITABLE'));
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual([]);
  });
});

describe('a restore', () => {
  beforeEach(() => {
    databaseWith(at('first.db'), 'kept').close();
    backUp(at('first.db'), at('copy.db'), false);
  });

  it('a restore makes a database where there is none', () => {
    expect(restored()).toMatchObject({ workflows: 1, before: undefined });
    expect(namesIn(at('torc.db'))).toEqual(['kept']);
  });

  it('a restore keeps what was there with its log, which is not played back into the backup', () => {
    // As a killed server leaves it: the last change is in the log alone.
    const db = databaseWith(at('used.db'), 'old', 'newest');
    for (const end of ['', '-wal', '-shm']) copyFileSync(at(`used.db${end}`), at(`torc.db${end}`));
    writeFileSync(at('torc.db-commits'), 'f'.repeat(32));
    db.close();
    const { before = '' } = restored();
    expect(before).toBe(at('torc.db-before-restore-20260102T030405678Z'));
    expect(namesIn(at('torc.db'))).toEqual(['kept']);
    expect(existsSync(at('torc.db-commits'))).toBe(false);
    expect(namesIn(before)).toEqual(['old', 'newest']);
  });

  it('a restore of a damaged, foreign, newer or missing file changes nothing', () => {
    databaseWith(at('torc.db'), 'mine').close();
    const tried = (code: string) => {
      expect(restored).toThrow(refused(code));
      expect([namesIn(at('torc.db')), readdirSync(folder).filter((name) => name.includes('before'))]).toEqual([
        ['mine'],
        [],
      ]);
    };
    const newer = new DatabaseSync(at('copy.db'));
    newer.exec('pragma user_version = 9999; update older_programs set oldest = 9999');
    newer.close();
    tried('DATABASE_FROM_FUTURE');
    truncateSync(at('copy.db'), 20_000);
    tried('DATABASE_DAMAGED');
    writeFileSync(at('copy.db'), 'a page of HTML '.repeat(200));
    tried('DATABASE_DAMAGED');
    rmSync(at('copy.db'));
    tried('NOT_FOUND');
  });

  it('a restore waits for no server and takes no database from one', () => {
    databaseWith(at('torc.db'), 'mine').close();
    const owned = ownDatabase(at('torc.db'), 4711);
    expect(restored).toThrow(refused('DATABASE_IN_USE'));
    owned.release();
    expect(namesIn(at('torc.db'))).toEqual(['mine']);
    linkSync(at('torc.db'), at('second.db'));
    expect(restored).toThrow(refused('DATABASE_HAS_NAMES'));
  });

  it('a kill before any change of the disk leaves the old database, the backup, or one that servers refuse, and the next restore completes', () => {
    const program = resolve(import.meta.dirname, '../../../tests/fakes/killed-restore.ts');
    const db = databaseWith(at('used.db'), 'old', 'newest');
    const pristine = mkdtempSync(join(tmpdir(), 'torc-pristine-'));
    onTestFinished(() => rmSync(pristine, { recursive: true }));
    for (const end of ['', '-wal', '-shm']) copyFileSync(at(`used.db${end}`), join(pristine, `torc.db${end}`));
    copyFileSync(at('copy.db'), join(pristine, 'copy.db'));
    db.close();
    for (let kill = 1, ended = false; !ended; kill += 1) {
      const cwd = mkdtempSync(at('try-'));
      cpSync(pristine, cwd, { recursive: true });
      const { signal, status } = spawnSync(process.execPath, [program], {
        cwd,
        env: { ...process.env, KILL_BEFORE: String(kill) },
      });
      ended = status === 0;
      expect(ended || signal === 'SIGKILL').toBe(true);
      const path = join(cwd, 'torc.db');
      // With two names it is refused.
      if (statSync(path).nlink === 1) expect([['old', 'newest'], ['kept']]).toContainEqual(namesIn(path));
      restore(join(cwd, 'copy.db'), path, new Date(), { trustsOwner: false });
      expect([namesIn(path), statSync(path).nlink]).toEqual([['kept'], 1]);
    }
  });
});

describe('a database whose tables change', () => {
  /** A database as the version before this one has left it. */
  function olderDatabase(path: string) {
    const db = openDatabase(path);
    for (const { sql } of migrations.slice(0, -1)) db.run(sql);
    db.run(`pragma user_version = ${migrations.length - 1}`);
    add(db, 'old');
    return db;
  }

  it('a database whose tables change is copied first, and an older torc that refuses it names the copy', () => {
    const db = olderDatabase(at('torc.db'));
    let copy = '';
    migrateDatabase(db, at('torc.db'), () => (copy = copyBeforeMigration(db, at('torc.db'))));
    db.close();
    expect(copy).toBe(at(`torc.db-before-${migrations.length}`));
    expect(namesIn(copy)).toEqual(['old']);
    copyFileSync(copy, at('copy.db'));
    // As the older torc sees it: a version that it does not know.
    const future = migrations.length + 1;
    copyFileSync(copy, at(`torc.db-before-${future}`));
    const newer = openDatabase(at('torc.db'));
    newer.run(`pragma user_version = ${future}; update older_programs set oldest = ${future}`);
    expect(() => migrateDatabase(newer, at('torc.db'))).toThrow(
      `is in ${at(`torc.db-before-${future}`)}: torc-server restore`,
    );
    newer.close();
    expect(restored().workflows).toBe(1);
  });

  it('a database that is new or has these tables already is not copied, and one that cannot be copied keeps its tables', () => {
    const db = databaseWith(at('torc.db'), 'one');
    migrateDatabase(db, at('torc.db'), () => {
      throw new Error('copied');
    });
    db.close();
    const older = olderDatabase(at('older.db'));
    expect(() => migrateDatabase(older, 'p', () => void copyBeforeMigration(older, '/proc/torc.db'))).toThrow(
      refused('DATABASE_NOT_COPIED'),
    );
    expect(older.prepare('pragma user_version').get({})).toEqual({ user_version: migrations.length - 1 });
    older.close();
  });
});
