import { closeSync, existsSync, openSync, renameSync, rmSync } from 'node:fs';
import { Refusal } from '../../core/contract/refusals.ts';
import { someOf } from '../../core/quantity/count-text.ts';
import type { Database, NoParameters } from './database.ts';
import { fresh, migrations, oldestBeside, statements, tables } from './migrations.gen.ts';

/**
 * Migrates the database to this version's tables, completely or not at all. A file written by a newer version, or with views or
 * triggers that are not ours, is refused and not changed. One that a newer version wrote is used as it is where that version allows it.
 *
 * One transaction for all steps: each commit waits for the disk, and a new database would take 0.1 s longer with one
 * commit for each. `beforeChange` is called once it is known that tables will change, with their present version.
 */
export function migrateDatabase(db: Database, path = 'file', beforeChange?: (version: number) => void): void {
  const { user_version: found } = db
    .prepare<Record<string, never>, { user_version: number }>('pragma user_version')
    .get({}) ?? { user_version: 0 };
  const newest = migrations.length;
  if (found > newest) {
    if (isOlderAllowed(oldestIn(db))) return refuseForeignSchema(db);
    throw new Refusal(
      'DATABASE_FROM_FUTURE',
      `the database has version ${found}; this torc knows versions up to ${newest}${copyWords(path, found)}`,
      { found, newest },
    );
  }
  const isNew = found === 0 && objectsOf(db).length === 0;
  if (!isNew) refuseOtherProgram(db, found, path);
  if (found === newest) return refuseForeignSchema(db);
  if (!isNew) beforeChange?.(found);
  db.run('begin immediate');
  try {
    // All steps take three times as long, and every command that starts a server waits for them.
    if (isNew) db.run(fresh);
    else for (const { sql } of migrations.slice(found)) db.run(sql);
    refuseForeignSchema(db);
    db.run(KEEP_OLDEST);
    db.run(`pragma user_version = ${newest}`);
    db.run('commit');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** Writes the oldest programs that may use a database of this version's tables beside this one. */
export const KEEP_OLDEST = `insert or replace into older_programs (one, oldest) values (1, ${oldestBeside})`;

/** What a newer version has written about the programs that may use its database; undefined where it has not. */
const oldestIn = (db: Database): number | undefined =>
  objectsOf(db).some(({ name }) => name === 'older_programs')
    ? db.prepare<NoParameters, { oldest: number }>('select oldest from older_programs').get({})?.oldest
    : undefined;

/** Whether this program may use a database of newer tables, in which `oldest` stands. */
export const isOlderAllowed = (oldest: number | undefined): boolean =>
  oldest !== undefined && oldest <= migrations.length;

const copyOf = (path: string, version: number) => `${path}-before-${version}`;

/** Where the copy is that this torc may be able to use. */
const copyWords = (path: string, version: number): string =>
  existsSync(copyOf(path, version))
    ? `. As it was before it got that version, it is in ${copyOf(path, version)}: torc-server restore puts that in its place, without what has happened since`
    : '';

/**
 * Copies a database before its tables change, so that an older torc can be used again; returns where to. The file is complete or not there.
 *
 * Throws: `DATABASE_NOT_COPIED`, for instance on a full disk.
 */
export function copyBeforeMigration(db: Database, path: string): string {
  const target = copyOf(path, migrations.length);
  const fresh = `${target}.new`;
  try {
    rmSync(fresh, { force: true });
    // Only if no other process has created it meanwhile: SQLite would follow a link.
    closeSync(openSync(fresh, 'wx', 0o600));
    db.prepare<{ fresh: string }>('vacuum into :fresh').run({ fresh });
    renameSync(fresh, target);
    return target;
  } catch (cause) {
    rmSync(fresh, { force: true });
    const words = `the database ${path} would get other tables, and cannot be copied to ${target} before: ${(cause as Error).message}`;
    throw new Refusal('DATABASE_NOT_COPIED', words, { path, target }, { cause });
  }
}

/** Throws `DATABASE_FOREIGN` for a file that no torc made: some have a version of their own, and tables of other names. */
function refuseOtherProgram(db: Database, version: number, path: string): void {
  const found = objectsOf(db).flatMap(({ type, name }) => (type === 'table' ? [name] : []));
  if (version > 0 && ['workflow', 'job', 'result'].every((name) => found.includes(name))) return;
  throw new Refusal(
    'DATABASE_FOREIGN',
    `the database ${path} contains tables of another program, for instance of Torc itself, whose workflows cannot be used: ${someOf(found)}`,
    { found },
  );
}

/** A full disk, for one, has rolled the transaction back already: the first error is the one that matters. */
function rollBack(db: Database): void {
  try {
    db.run('rollback');
  } catch {
    // No transaction is open.
  }
}

interface SchemaObject {
  readonly type: string;
  /** In lower case. */
  readonly name: string;
  readonly sql: string | null;
}

/** What stands in the schema of a database, but for what SQLite makes itself. */
const objectsOf = (db: Database): SchemaObject[] =>
  db
    .prepare<NoParameters, SchemaObject>(
      "select type, lower(name) as name, sql from sqlite_schema where name not like 'sqlite!_%' escape '!'",
    )
    .all({});

/**
 * Throws `NOT_TRUSTED` for a view, a trigger or a virtual table that no migration of ours makes: a trigger may change the commands of
 * jobs, and a view may stand in the place of a table. Further tables are those of administrators; we never read them.
 */
function refuseForeignSchema(db: Database): void {
  const isOurs = ({ type, name, sql }: SchemaObject): boolean => {
    if (type === 'trigger' || type === 'view') return statements[name] === sql;
    if (type === 'table') return !/^\s*create\s+virtual/i.test(sql ?? '');
    return type === 'index';
  };
  const foreign = objectsOf(db).filter((each) => !isOurs(each));
  const [first] = foreign;
  if (first === undefined) return;
  const more = foreign.length === 1 ? '' : ` and ${foreign.length - 1} more`;
  throw new Refusal(
    'NOT_TRUSTED',
    `the database contains the ${first.type} ${first.name}${more}, which no torc makes: it may change what jobs do`,
    { found: foreign.map(({ type, name }) => `${type} ${name}`) },
  );
}

/** The names of this version's tables, in lower case. */
export const ownTables = (): ReadonlySet<string> => (own ??= new Set(tables));
let own: ReadonlySet<string> | undefined;
