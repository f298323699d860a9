import type { AuditLogEntry, SqlReply } from '../../core/contract/admin.ts';
import { type Database, openDatabase, openReader } from '../store/database.ts';
import { ownTables } from '../store/migrate.ts';
import { readGuard, writeGuard } from './guard.ts';
import { readSql, reasoned } from './read-sql.ts';

export interface Audited {
  readonly user: string;
  readonly at: number;
  readonly sql: string;
  readonly fullTable: boolean;
  readonly committed: boolean;
  readonly success: boolean;
  readonly rowsAffected: number | null;
  readonly error: string | null;
}

export type AuditedStatement = Pick<Audited, 'user' | 'at' | 'sql' | 'fullTable'>;

interface AuditRow {
  id: number;
  user_name: string;
  timestamp: number;
  sql_text: string;
  is_write: number;
  allow_full_table: number;
  committed: number;
  success: number;
  rows_affected: number | null;
  error: string | null;
}

export const auditEntryOf = (row: AuditRow): AuditLogEntry => ({
  ...row,
  is_write: row.is_write === 1,
  allow_full_table: row.allow_full_table === 1,
  committed: row.committed === 1,
  success: row.success === 1,
  rows_affected: row.rows_affected ?? undefined,
  error: row.error ?? undefined,
});

/** `ours` are the names of the server's own tables. */
export const adminQueries = (db: Database, ours: () => ReadonlySet<string>) => {
  const change = (sql: string): number => {
    const isDefinition = /^\s*create\b/i.test(withoutComments(sql));
    const guard = writeGuard(ours(), isDefinition);
    try {
      const { changes } = db.guarded(guard.authorize, () => db.raw(sql).run());
      if (!isDefinition) return Number(changes);
    } catch (error) {
      throw reasoned(error, guard);
    }
    const [reference] = foreignReferences.all({ ours: JSON.stringify([...ours()]) });
    if (reference === undefined) return 0;
    throw new Error(
      `the table ${reference.name} refers to ${reference.target}, a table of the server, whose rows could then no longer be deleted`,
    );
  };
  const foreignReferences = db.prepare<{ ours: string }, { name: string; target: string }>(`
    select own.name, reference."table" as target
    from sqlite_schema own, pragma_foreign_key_list(own.name) reference
    where own.type = 'table'
      and lower(own.name) not in (select value from json_each(:ours))
      and lower(reference."table") in (select value from json_each(:ours))
    limit 1`);
  const audit = (entry: Audited) =>
    db
      .prepare<Record<string, string | number | null>>(
        `insert into admin_audit_log
           (user_name, timestamp, sql_text, is_write, allow_full_table, committed, success, rows_affected, error)
         values (:user, :at, :sql, 1, :fullTable, :committed, :success, :rowsAffected, :error)`,
      )
      .run({
        ...entry,
        fullTable: Number(entry.fullTable),
        committed: Number(entry.committed),
        success: Number(entry.success),
      });
  const succeeded = { committed: true, success: true, error: null };

  return {
    /** Executes a statement in the shared transaction, and audits it; with `keep` false it is rolled back. */
    changeAmongOthers(attempt: AuditedStatement, keep: boolean): number {
      db.run('savepoint statement');
      try {
        const rowsAffected = change(attempt.sql);
        if (keep) audit({ ...attempt, ...succeeded, rowsAffected });
        else db.run('rollback to statement');
        return rowsAffected;
      } catch (error) {
        db.run('rollback to statement');
        throw error;
      } finally {
        db.run('release statement');
      }
    },
    /**
     * The same in a separate transaction, on a connection for this statement alone; `begun` is called when it has the
     * lock.
     */
    changeAlone(attempt: AuditedStatement, keep: boolean, begun: () => void): number {
      db.run('begin immediate');
      begun();
      const rowsAffected = change(attempt.sql);
      if (keep) audit({ ...attempt, ...succeeded, rowsAffected });
      db.run(keep ? 'commit' : 'rollback');
      return rowsAffected;
    },
    /**
     * Reads on the server's own connection, which changes nothing meanwhile: for databases that no other process can
     * open.
     */
    read(sql: string, limit: number): Pick<SqlReply, 'columns' | 'items'> {
      db.run('pragma query_only = on');
      try {
        return readSql(db, sql, limit, readGuard());
      } finally {
        db.run('pragma query_only = off');
      }
    },
    auditFailure: (attempt: AuditedStatement, error: string) =>
      audit({ ...attempt, committed: false, success: false, rowsAffected: null, error }),
    auditLog: db.prepare<{ limit: number; offset: number }, AuditRow>(
      'select * from admin_audit_log order by id desc limit :limit offset :offset',
    ),
    audited: db.prepare<Record<string, never>, { rows: number }>('select count(*) as rows from admin_audit_log'),
  };
};

/** Reads on a separate read-only connection. */
export const readApart = (path: string, sql: string, limit: number): Pick<SqlReply, 'columns' | 'items'> =>
  readSql(openReader(path), sql, limit, readGuard());

/** Changes rows on a separate connection, in its own transaction. */
export function changeApart(path: string, attempt: AuditedStatement, keep: boolean, begun: () => void): number {
  const db = openDatabase(path);
  const rowsAffected = adminQueries(db, ownTables).changeAlone(attempt, keep, begun);
  db.close();
  return rowsAffected;
}

/** Comments may precede the first keyword. */
const withoutComments = (sql: string) => sql.replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');
