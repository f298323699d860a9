import type { SqlReply, SqlRequest } from '../../core/contract/admin.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import type { Caller } from '../caller.ts';
import type { Store } from '../records/store.ts';
import type { adminQueries, AuditedStatement } from './queries.ts';
import { createApart } from './sql-apart.ts';
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
 * Executes a statement of an administrator.
 *
 * Both reads and writes run in a separate process, which is ended when it takes too long. A read cannot change
 * anything. A write is audited in its transaction, also when it fails; dry runs and reads are not. Only this process
 * can open a database in memory, so there statements run here.
 */
export function carryOut(
  store: Store,
  queries: ReturnType<typeof adminQueries>,
  { database, adminSql }: SqlSettings,
): (request: SqlRequest, caller: Caller) => Promise<SqlReply> {
  const apart = database === ':memory:' ? undefined : createApart(database);

  const read = async (sql: string, limit: number): Promise<SqlReply> => {
    const { columns, items } = apart === undefined ? readHere(sql, limit) : await apart.read(sql, limit);
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

  const writeHere = (attempt: AuditedStatement, keep: boolean) =>
    store.turns.write(() => {
      try {
        return { rowsAffected: queries.changeAmongOthers(attempt, keep) };
      } catch (cause) {
        return { error: (cause as Error).message };
      }
    });

  const write = async (attempt: AuditedStatement, keep: boolean): Promise<number> => {
    const auditFailure = (words: string) => store.turns.write(() => queries.auditFailure(attempt, words));
    let outcome: Awaited<ReturnType<typeof writeHere>>;
    try {
      outcome = await (apart === undefined ? writeHere(attempt, keep) : apart.write(attempt, keep));
    } catch (error) {
      if (keep && error instanceof Refusal) await auditFailure(error.message);
      throw error;
    }
    if ('rowsAffected' in outcome) return outcome.rowsAffected;
    if (keep) await auditFailure(outcome.error);
    throw new Refusal('SQL_REFUSED', `Statement failed: ${outcome.error}`, { error: 'ExecutionFailed' });
  };

  return async (request, { user = 'anonymous' }) => {
    if (adminSql === 'nothing') disabled('admin SQL is disabled on this server');
    const { sql } = request;
    const isWrite = request.write === true;
    const fullTable = request.allow_full_table === true;
    if (isWrite && adminSql === 'reads') disabled('admin SQL writes are disabled on this server');
    checkStatement(sql, { write: isWrite, fullTable });
    const asked = request.limit ?? PAGE_LIMIT;
    if (!isWrite) return read(sql, asked < 1 || asked > PAGE_LIMIT ? PAGE_LIMIT : asked);
    const keep = request.dry_run !== true;
    const rowsAffected = await write({ user, at: store.now(), sql, fullTable }, keep);
    return { columns: [], items: [], committed: keep, rows_affected: rowsAffected };
  };
}
