/**
 * A program that executes one statement: an endless statement can be ended with its process, and delays no other
 * request.
 */
import { Worker } from 'node:worker_threads';
import { changeApart, readApart } from './queries.ts';
import type { SqlAnswer, SqlOrder } from './sql-apart.ts';

/** A statement blocks this thread: another one sees when the server is gone, and ends the process. */
const LOOK_MS = 500;
const whenOrphaned = `setInterval(() => {
  if (process.ppid !== ${process.ppid}) process.kill(process.pid, 'SIGKILL');
}, ${LOOK_MS})`;
new Worker(whenOrphaned, { eval: true }).unref();

process.once('message', (order: SqlOrder) => {
  const report = (answer: SqlAnswer, then?: () => void) => process.send?.(answer, undefined, undefined, then);
  let answer: SqlAnswer;
  try {
    answer = order.kind === 'read' ? read(order) : write(order, () => report({ kind: 'begun' }));
  } catch (error) {
    answer = { kind: 'failed', error: (error as Error).message };
  }
  report(answer, () => process.disconnect?.());
});

function read({ path, sql, limit }: SqlOrder & { kind: 'read' }): SqlAnswer {
  return { kind: 'read', read: readApart(path, sql, limit) };
}

function write({ path, attempt, keep }: SqlOrder & { kind: 'write' }, begun: () => void): SqlAnswer {
  return { kind: 'written', rowsAffected: changeApart(path, attempt, keep, begun) };
}
