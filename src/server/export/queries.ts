import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';
import { openDatabase } from '../store/database.ts';
import { migrateDatabase } from '../store/migrate.ts';

/** The selected workflows: those that any of these names, or all if nothing is named. */
export interface WorkflowSelection {
  readonly ids: readonly number[];
  readonly users: readonly string[];
  /** Ids and names of access groups. */
  readonly groups: readonly (number | string)[];
}

/** From this version on rows of a deleted workflow may stay for a while. */
const SLICES_VERSION = 10;

/** Reads a database that a server may be using; nothing is written to it. */
export function openSource(path: string) {
  const db = new DatabaseSync(databaseFile(path), { readOnly: true, timeout: 5_000 });
  const { user_version: version } = db.prepare('pragma user_version').get() as { user_version: number };
  return {
    /** The version of its tables; 0 for a foreign file. */
    version,
    select({ ids, users, groups }: WorkflowSelection): number[] {
      const isAll = ids.length + users.length + groups.length === 0;
      const rows = db
        .prepare(
          `select id from workflow
           where ${version < SLICES_VERSION ? 'true' : 'removed_at_ms is null'} and (?
             or id in (select value from json_each(?))
             or user in (select value from json_each(?))
             or id in (
               select workflow_id from workflow_access_group
               where group_id in (
                 select access_group.id from access_group join json_each(?) given
                 on (given.type = 'integer' and given.value = access_group.id)
                 or (given.type = 'text' and given.value = access_group.name))))
           order by id`,
        )
        .all(isAll ? 1 : 0, JSON.stringify(ids), JSON.stringify(users), JSON.stringify(groups));
      return (rows as { id: number }[]).map(({ id }) => id);
    },
    copyTo: (path: string) => void db.prepare('vacuum into ?').run(path),
    close: () => db.close(),
  };
}

/** A copy of a database that no other program uses yet. */
export function openCopy(path: string) {
  const db = openDatabase(path);
  // A failed copy is deleted, so it needs no journal.
  db.run('pragma journal_mode = off; pragma synchronous = off');
  migrateDatabase(db);
  const tables = db
    .prepare<Record<string, never>, { name: string }>("select name from sqlite_schema where type = 'table'")
    .all({})
    .map(({ name }) => name);
  const ofWorkflows = tables.filter((table) =>
    db
      .prepare<{ table: string }, { name: string }>('select name from pragma_table_info(:table)')
      .all({ table })
      .some(({ name }) => name === 'workflow_id'),
  );
  return {
    /** Removes all workflows except these, with all of their records. */
    keep(ids: readonly number[]): void {
      db.prepare<{ ids: string }>('delete from workflow where id not in (select value from json_each(:ids))').run({
        ids: JSON.stringify(ids),
      });
      // Logs and similar tables name a workflow without a foreign key.
      for (const table of ofWorkflows)
        db.run(`delete from ${table} where workflow_id not in (select id from workflow)`);
      // Entries of administrators concern workflows of all users.
      if (tables.includes('admin_audit_log')) db.run('delete from admin_audit_log');
    },
    /** Removes whom workflows are shared with: all users and groups, or the groups without a relation to the remaining workflows. */
    stripGroups(which: 'all' | 'unrelated'): void {
      const isKept = which === 'all' ? '0' : 'id in (select group_id from workflow_access_group)';
      db.run(`
        delete from access_group where is_system = 0 and not (${isKept});
        delete from user_group_membership where group_id not in (select id from access_group)
          or (${which === 'all' ? 1 : 0});
        delete from workflow_access_group where group_id not in (select id from access_group)
          or (${which === 'all' ? 1 : 0});
        delete from workflow_access_user where ${which === 'all' ? 1 : 0};
      `);
    },
    vacuum: () => db.run('vacuum'),
    jobs: () =>
      (
        db.prepare<Record<string, never>, { jobs: number }>('select count(*) as jobs from job').get({}) as {
          jobs: number;
        }
      ).jobs,
    close(): void {
      db.run('pragma journal_mode = delete');
      db.close();
    },
  };
}
