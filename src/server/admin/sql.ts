import type { SqlReply, SqlRequest } from '../../core/contract/admin.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import type { Caller } from '../store/caller.ts';
import type { Store } from '../store/store.ts';
import type { adminQueries } from './queries.ts';
import { createReader } from './read-apart.ts';
import { checkStatement } from './statement.ts';

export interface SqlSettings {
  /** Path of the database, or `:memory:`. */
  readonly database: string;
  readonly adminSql: 'writes' | 'reads' | 'nothing';
}

const disabled = (words: string): never => {
  throw new Refusal('SQL_DISABLED', words, { error: 'Forbidden' });
};

/**
 * Carries out a statement of an administrator.
 *
 * A read runs apart and cannot change anything. A write joins the turn of all others and is audited in the transaction
 * that it is part of; one that fails is audited too. Dry runs and reads are not.
 */
export function carryOut(
  store: Store,
  queries: ReturnType<typeof adminQueries>,
  { database, adminSql }: SqlSettings,
): (request: SqlRequest, caller: Caller) => Promise<SqlReply> {
  const readApart = createReader(database);

  const read = async (sql: string, limit: number): Promise<SqlReply> => {
    const { columns, items } = database === ':memory:' ? readHere(sql, limit) : await readApart(sql, limit);
    return { columns, items, committed: false };
  };
  const readHere = (sql: string, limit: number) => {
    try {
      return queries.read(sql, limit);
    } catch (cause) {
      throw new Refusal(
        'SQL_REFUSED',
        `Query failed: ${(cause as Error).message}`,
        { error: 'QueryFailed' },
        { cause },
      );
    }
  };

  const write = ({ sql, dry_run: dryRun, allow_full_table: fullTable }: SqlRequest, { user = 'anonymous' }: Caller) =>
    store.turns.write(() => {
      const keep = dryRun !== true;
      const entry = { user, at: store.now(), sql, fullTable: fullTable === true };
      try {
        const rowsAffected = queries.change(sql, keep);
        if (keep) queries.audit({ ...entry, committed: true, success: true, rowsAffected, error: null });
        return { rowsAffected };
      } catch (cause) {
        // Answered, not thrown: what is thrown would take the audit back with it.
        const error = (cause as Error).message;
        if (keep) queries.audit({ ...entry, committed: false, success: false, rowsAffected: null, error });
        return { error };
      }
    });

  return async (request, caller) => {
    if (adminSql === 'nothing') disabled('admin SQL is disabled on this server');
    const isWrite = request.write === true;
    if (isWrite && adminSql === 'reads') disabled('admin SQL writes are disabled on this server');
    checkStatement(request.sql, { write: isWrite, fullTable: request.allow_full_table === true });
    const asked = request.limit ?? PAGE_LIMIT;
    if (!isWrite) return read(request.sql, asked < 1 || asked > PAGE_LIMIT ? PAGE_LIMIT : asked);
    const { rowsAffected, error } = await write(request, caller);
    if (error !== undefined) {
      throw new Refusal('SQL_REFUSED', `Statement failed: ${error}`, { error: 'ExecutionFailed' });
    }
    return { columns: [], items: [], committed: request.dry_run !== true, rows_affected: rowsAffected };
  };
}
