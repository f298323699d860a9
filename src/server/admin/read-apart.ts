import { fork } from 'node:child_process';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SqlReply } from '../../core/contract/admin.ts';
import { Refusal } from '../../core/contract/refusals.ts';

export interface Reading {
  readonly path: string;
  readonly sql: string;
  readonly limit: number;
}

type Read = Pick<SqlReply, 'columns' | 'items'>;

/** Longest that a statement may read. */
const LIMIT_SECONDS = 60;

/** Reads in a process of its own, one after another. */
export function createReader(path: string) {
  let last: Promise<unknown> = Promise.resolve();
  return (sql: string, limit: number): Promise<Read> => {
    const next = last.catch(() => {}).then(() => read({ path, sql, limit }));
    last = next;
    return next;
  };
}

const read = (reading: Reading) =>
  new Promise<Read>((resolve, reject) => {
    // As a source beside this one, or bundled beside what this one is bundled in.
    const program = new URL(`./read-process${extname(import.meta.url)}`, import.meta.url);
    const child = fork(fileURLToPath(program), [], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Refusal('SQL_TOO_SLOW', `Query failed: it was ended after ${LIMIT_SECONDS} s`, { error: 'QueryFailed' }),
      );
    }, LIMIT_SECONDS * 1000);
    child.once('message', (answer: { read?: Read; error?: string }) => {
      if (answer.read !== undefined) resolve(answer.read);
      else reject(new Refusal('SQL_REFUSED', `Query failed: ${answer.error}`, { error: 'QueryFailed' }));
    });
    child.once('error', reject);
    child.once('exit', () => {
      clearTimeout(late);
      reject(new Error('the process that reads for an administrator ended without an answer'));
    });
    child.send(reading);
  });
