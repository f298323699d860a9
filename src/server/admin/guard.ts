import { constants } from 'node:sqlite';
import type { Authorizer } from '../store/database.ts';

/**
 * Decides what a statement of an administrator may do, based on SQLite's own analysis of the statement.
 *
 * SQLite calls the authorizer for each table, index and pragma while it compiles a statement, in any notation: a quoted
 * name, a view, a common table expression. So the decision does not depend on the text of the statement.
 */
export interface Guard {
  readonly authorize: Authorizer;
  /** Why the last statement was refused; undefined if it was not refused here. */
  reason(): string | undefined;
}

const {
  SQLITE_OK,
  SQLITE_DENY,
  SQLITE_READ,
  SQLITE_SELECT,
  SQLITE_FUNCTION,
  SQLITE_RECURSIVE,
  SQLITE_INSERT,
  SQLITE_UPDATE,
  SQLITE_DELETE,
  SQLITE_CREATE_TABLE,
  SQLITE_CREATE_INDEX,
  SQLITE_REINDEX,
  SQLITE_PRAGMA,
  SQLITE_ATTACH,
  SQLITE_DETACH,
} = constants;

/** Pragmas that describe tables, for `select … from pragma_table_info('job')`. */
const REPORTING = [
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
];
const AUDIT_LOG = 'admin_audit_log';

type Decision = 'allowed' | { readonly refused: string };

const guard = (decide: (action: number, name: string, table: string) => Decision): Guard => {
  let reason: string | undefined;
  return {
    authorize(action, first, second) {
      const decision = decide(action, (first ?? '').toLowerCase(), (second ?? '').toLowerCase());
      if (decision === 'allowed') return SQLITE_OK;
      reason ??= decision.refused;
      return SQLITE_DENY;
    },
    reason: () => reason,
  };
};

const pragma = (name: string): Decision =>
  REPORTING.includes(name) ? 'allowed' : { refused: `pragma ${name} is not allowed` };

/** For a connection that can only read. */
export const readGuard = (): Guard =>
  guard((action, name) => {
    if (action === SQLITE_PRAGMA) return pragma(name);
    if (action === SQLITE_ATTACH || action === SQLITE_DETACH) return { refused: 'other databases are not allowed' };
    return 'allowed';
  });

/**
 * For a statement that changes rows, or creates a table or an index.
 *
 * `ours` are the names of the server's own tables: their rows may be changed, except those of the audit log, but not
 * their structure.
 */
export function writeGuard(ours: ReadonlySet<string>, isDefinition: boolean): Guard {
  const rows = (table: string): Decision => {
    if (table === AUDIT_LOG) return { refused: 'the audit log cannot be changed' };
    // SQLite updates its own tables when a table is created.
    if (table.startsWith('sqlite_') && !isDefinition)
      return { refused: `${table} belongs to SQLite and cannot be changed` };
    return 'allowed';
  };
  return guard((action, name, table) => {
    switch (action) {
      case SQLITE_READ:
      case SQLITE_SELECT:
      case SQLITE_FUNCTION:
      case SQLITE_RECURSIVE:
        return 'allowed';
      case SQLITE_INSERT:
      case SQLITE_UPDATE:
      case SQLITE_DELETE:
        return rows(name);
      case SQLITE_CREATE_TABLE:
        return ours.has(name) ? { refused: `${name} is a table of the server` } : 'allowed';
      case SQLITE_CREATE_INDEX:
        return ours.has(table)
          ? { refused: `${table} is a table of the server: no index can be added to it` }
          : 'allowed';
      case SQLITE_REINDEX:
        return isDefinition ? 'allowed' : { refused: 'REINDEX is not allowed' };
      case SQLITE_PRAGMA:
        return pragma(name);
      default:
        return {
          refused:
            'expected a change of rows, CREATE TABLE or CREATE INDEX; views, triggers, temporary and virtual tables are not allowed',
        };
    }
  });
}
