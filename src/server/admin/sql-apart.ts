import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SqlReply } from '../../core/contract/admin.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { AuditedStatement } from './queries.ts';
import { createQueue } from '../queue.ts';

export type SqlRead = Pick<SqlReply, 'columns' | 'items'>;

/** A request to the process. */
export type SqlOrder =
  | { readonly kind: 'read'; readonly path: string; readonly sql: string; readonly limit: number }
  | { readonly kind: 'write'; readonly path: string; readonly attempt: AuditedStatement; readonly keep: boolean };

/** Its reply; `begun` when a write has the lock. */
export type SqlAnswer =
  | { readonly kind: 'begun' }
  | { readonly kind: 'read'; readonly read: SqlRead }
  | { readonly kind: 'written'; readonly rowsAffected: number }
  | { readonly kind: 'failed'; readonly error: string };

/** The time limit of a statement. */
const LIMIT_SECONDS = 60;
/**
 * The time limit of a write that holds the lock. Other writes wait meanwhile, and are refused after five seconds; a
 * write of 100,000 rows takes one.
 */
const WRITE_LIMIT_SECONDS = 4;

/** Reads beside each other: a quick one need not wait for an endless one. Each takes a CPU and the memory of a process. */
const READS = 4;

/**
 * Executes statements in separate processes: writes one after another, and some reads beside each other.
 *
 * SQLite cannot end a statement from the thread that runs it. A process can be ended, and its transaction ends with it.
 */
export function createApart(path: string) {
  const reading = createQueue(READS);
  const writing = createQueue(1);
  return {
    read: (sql: string, limit: number): Promise<SqlRead> =>
      reading(async () => {
        const answer = await carryOut({ kind: 'read', path, sql, limit });
        if (answer.kind === 'read') return answer.read;
        throw new Refusal('SQL_REFUSED', `Query failed: ${errorOf(answer)}`, { error: 'QueryFailed' });
      }),
    /**
     * The number of changed rows, or the reason why none were changed. A write that is kept is audited in its own
     * transaction.
     */
    write: (attempt: AuditedStatement, keep: boolean): Promise<{ rowsAffected: number } | { error: string }> =>
      writing(async () => {
        const answer = await carryOut({ kind: 'write', path, attempt, keep });
        return answer.kind === 'written' ? { rowsAffected: answer.rowsAffected } : { error: errorOf(answer) };
      }),
  };
}

const errorOf = (answer: SqlAnswer): string => (answer.kind === 'failed' ? answer.error : `unexpected ${answer.kind}`);

/** Rejects with `SQL_TOO_SLOW` when the process has ended without a change: then its lock is free. */
const carryOut = async (order: SqlOrder) => {
  const { fork } = await import('node:child_process');
  return new Promise<SqlAnswer>((resolve, reject) => {
    // A source file beside this one, or a bundle beside this one's bundle.
    const program = new URL(`./sql-process${extname(import.meta.url)}`, import.meta.url);
    const child = fork(fileURLToPath(program), [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let answer: SqlAnswer | undefined;
    let late: Refusal | undefined;
    const endAfter = (seconds: number) =>
      setTimeout(() => {
        late = tooSlow(order, seconds);
        child.kill('SIGKILL');
      }, seconds * 1000);
    let timer = endAfter(LIMIT_SECONDS);
    child.on('message', (message: SqlAnswer) => {
      if (message.kind === 'begun') {
        clearTimeout(timer);
        timer = endAfter(WRITE_LIMIT_SECONDS);
      } else answer = message;
    });
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      if (answer !== undefined) resolve(answer);
      else reject(late ?? new Error('the process that runs SQL for an administrator ended without a reply'));
    });
    child.send(order);
  });
};

const tooSlow = ({ kind }: SqlOrder, seconds: number) =>
  new Refusal(
    'SQL_TOO_SLOW',
    kind === 'read'
      ? `Query failed: it was ended after ${seconds} s`
      : `Statement failed: it was ended after ${seconds} s and rolled back; change fewer rows at a time, for instance with "id between 1 and 100000"`,
    { error: kind === 'read' ? 'QueryFailed' : 'ExecutionFailed' },
  );
