import type { AuditLogEntry, SqlReply } from '../../core/contract/admin.ts';
import type { Database } from '../store/database.ts';
import { readSql } from './read-sql.ts';

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

export const entryOf = (row: AuditRow): AuditLogEntry => ({
  ...row,
  is_write: row.is_write === 1,
  allow_full_table: row.allow_full_table === 1,
  committed: row.committed === 1,
  success: row.success === 1,
  rows_affected: row.rows_affected ?? undefined,
  error: row.error ?? undefined,
});

export const adminQueries = (db: Database) => ({
  /** Carries a statement out and answers how many rows it changed; with `keep` false it is taken back. */
  change(sql: string, keep: boolean): number {
    db.run('savepoint statement');
    try {
      const rows = db.prepare(sql).run({});
      if (!keep) db.run('rollback to statement');
      return rows;
    } catch (error) {
      db.run('rollback to statement');
      throw error;
    } finally {
      db.run('release statement');
    }
  },
  /** Reads on the server's own connection, which changes nothing meanwhile: for databases that nobody else can open. */
  read(sql: string, limit: number): Pick<SqlReply, 'columns' | 'items'> {
    db.run('pragma query_only = on');
    try {
      return readSql(db.raw(sql), limit);
    } finally {
      db.run('pragma query_only = off');
    }
  },
  audit: (entry: Audited) =>
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
      }),
  auditLog: db.prepare<{ limit: number; offset: number }, AuditRow>(
    'select * from admin_audit_log order by id desc limit :limit offset :offset',
  ),
  audited: db.prepare<Record<string, never>, { rows: number }>('select count(*) as rows from admin_audit_log'),
});
