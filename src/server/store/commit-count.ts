import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { OPEN_FLAGS } from '../../cluster/trust.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Database, NoParameters } from './database.ts';

/**
 * The number of commits, in the database and in a file beside it.
 *
 * SQLite drops what follows a damaged place of its write-ahead log, and reports no error: a log that was cut or deleted
 * after a kill takes acknowledged changes with it. So each commit that changes something counts itself in a row, and the
 * count is written beside the database before the commit is acknowledged. A database that has fewer commits than the file
 * says has lost some of them, however that happened.
 *
 * The file is not synced, so it costs 4 µs a commit. When the machine loses its power, the file may be older than the
 * database; it is never newer. A server that ends has copied its log into the database, and removes the file.
 */
export interface CommitCount {
  /** Within a transaction that is about to be committed. */
  count(): void;
  /** The commits so far, with the one that was counted last. */
  readonly commits: number;
}

interface Row {
  /** Of the row with the number, for one look-up. */
  place: number;
  id: string;
  commits: number;
}

const rowOf = (db: Database): Row =>
  db
    .prepare<NoParameters, Row>(`
      select sequence.rowid as place, commit_count.name as id, sequence.seq as commits
      from commit_count
      cross join sqlite_sequence sequence on sequence.name = 'commit_count'`)
    .get({}) as Row;

export function createCommitCount(db: Database): CommitCount {
  const changesSoFar = db.prepare<NoParameters, { changes: number }>('select total_changes() as changes');
  const store = db.prepare<{ commits: number; place: number }>(
    'update sqlite_sequence set seq = :commits where rowid = :place',
  );
  const { place, commits: atFirst } = rowOf(db);
  let commits = atFirst;
  let changesBefore = 0;
  return {
    count() {
      // Most requests of idle runners change nothing, and their commits need no sync.
      const changes = changesSoFar.get({})?.changes ?? 0;
      if (changes === changesBefore) return;
      commits += 1;
      store.run({ commits, place });
      changesBefore = changes + 1;
    },
    get commits() {
      return commits;
    },
  };
}

/** The file beside a database that says which commits were acknowledged. */
export interface Acknowledged {
  write(commits: number): void;
  /** After all of the log is in the database. */
  remove(): void;
}

const fileBeside = (path: string) => `${path}-commits`;
const textOf = (id: string, commits: number) => `${id} ${textOfCount(commits)}\n`;
const textOfCount = (commits: number) => String(commits).padStart(16);

/** `path` is that of the database, without links. */
export function openAcknowledged(db: Database, path: string): Acknowledged {
  const { id, commits: atFirst } = rowOf(db);
  const file = fileBeside(path);
  const fd = openSync(file, OPEN_FLAGS.write, 0o600);
  let written = atFirst;
  writeSync(fd, textOf(id, written), 0);
  return {
    write(commits) {
      if (commits === written) return;
      written = commits;
      try {
        writeSync(fd, textOfCount(commits), id.length + 1);
      } catch {
        // An older count proves less, and is never wrong.
      }
    },
    remove() {
      closeSync(fd);
      rmSync(file, { force: true });
    },
  };
}

/**
 * Throws `CHANGES_LOST` if commits are missing that were acknowledged. Before the first write to an opened database, which was not
 * empty before: one that was deleted may be made anew beside the old count.
 */
export function refuseLostChanges(db: Database, path: string): void {
  const [, id, count = ''] = /^([0-9a-f]{32}) +(\d+)\n$/.exec(readIfThere(fileBeside(path))) ?? [];
  if (id === undefined) return;
  // Without the table not even the first transaction is left, or it is a copy from before the table.
  const found = hasCount(db) ? rowOf(db) : { id, commits: 0 };
  const lost = Number(count) - found.commits;
  if (found.id !== id || lost <= 0) return;
  throw new Refusal(
    'CHANGES_LOST',
    `the database ${path} lacks the last ${lost} of ${Number(count)} commits, which were acknowledged: its write-ahead log ` +
      `(${path}-wal) was cut or deleted, or an older copy of the database was put in its place. To use it as it is, delete ${fileBeside(path)}`,
    { path, lost, acknowledged: Number(count), found: found.commits },
  );
}

/**
 * Throws `CHANGES_LOST` for a database whose main file is gone or empty while its log has changes: SQLite would begin anew, and
 * delete the log.
 */
export function refuseLostFile(path: string): void {
  const main = statSync(path, { throwIfNoEntry: false });
  if (main !== undefined && main.size > 0) return;
  const log = `${main === undefined ? resolve(path) : realpathSync(path)}-wal`;
  const bytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes === 0) return;
  throw new Refusal(
    'CHANGES_LOST',
    `the database ${path} is ${main === undefined ? 'gone' : 'empty'}, but its write-ahead log ${log} has ${bytes} bytes of changes. ` +
      `To begin with an empty database, delete ${log}`,
    { path, log, bytes },
  );
}

const hasCount = (db: Database): boolean =>
  db.prepare<NoParameters, { name: string }>("select name from sqlite_schema where name = 'commit_count'").get({}) !==
  undefined;

function readIfThere(path: string): string {
  try {
    return readFileSync(path, { encoding: 'utf8', flag: OPEN_FLAGS.read });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
