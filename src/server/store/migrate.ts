import { Refusal } from '../../core/contract/refusals.ts';
import { type Database, openDatabase } from './database.ts';
import { migrations } from './migrations.gen.ts';

/**
 * Migrates the database to this version's tables, completely or not at all. A file written by a newer version is
 * refused and not changed.
 *
 * One transaction for all steps: each commit waits for the disk, and a new database would take 0.1 s longer with one
 * commit for each.
 */
export function migrate(db: Database): void {
  const { user_version: found } = db
    .prepare<Record<string, never>, { user_version: number }>('pragma user_version')
    .get({}) ?? { user_version: 0 };
  const newest = migrations.length;
  if (found > newest) {
    throw new Refusal(
      'DATABASE_FROM_FUTURE',
      `the database has version ${found}; this torc knows versions up to ${newest}`,
      { found, newest },
    );
  }
  if (found === newest) return;
  db.run('begin immediate');
  try {
    for (const { sql } of migrations.slice(found)) db.run(sql);
    db.run(`pragma user_version = ${newest}`);
    db.run('commit');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** A full disk, for one, has rolled the transaction back already: the first error is the one that matters. */
function rollBack(db: Database): void {
  try {
    db.run('rollback');
  } catch {
    // No transaction is open.
  }
}

let own: ReadonlySet<string> | undefined;

/** The names of this version's tables, in lower case. */
export const ownTables = (): ReadonlySet<string> => (own ??= namesOfTables());

function namesOfTables(): ReadonlySet<string> {
  const db = openDatabase(':memory:');
  migrate(db);
  const names = db
    .prepare<Record<string, never>, { name: string }>(
      "select lower(name) as name from sqlite_schema where type = 'table'",
    )
    .all({});
  db.close();
  return new Set(names.map(({ name }) => name));
}
