import { expect, it } from 'vitest';
import { openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations } from './migrations.gen.ts';

const OLDER = 22;

it('the migration of results takes their codes from the words of earlier versions, and leaves other results as they are', () => {
  const db = openDatabase(':memory:');
  db.run('pragma foreign_keys = off');
  for (const { sql } of migrations.slice(0, OLDER)) db.run(sql);
  db.run(`pragma user_version = ${OLDER}`);
  const [quota, crash] = [
    'the disk quota for its output was used up when it ended',
    'n1 failed: the max of on_oom is near',
  ];
  const stored: readonly (readonly [cause: string, code: string | null])[] = [
    ['out of memory with 400m, the max of on_oom', 'memory'],
    ['out of time with PT2H, the max of on_timeout', 'time'],
    ['out of memory with 200m in attempt 3, the last that on_oom allows', 'memory'],
    [quota, null],
    [crash, 'node'],
  ];
  for (const [index, [cause, code]] of stored.entries())
    db.run(`
      insert into result (
        job_id, workflow_id, run_id, compute_node_id, return_code, exec_time_minutes, completion_time, status, cause, cause_code
      ) values (${index}, 1, 1, 1, 1, 0, '', 6, '${cause}', ${code === null ? 'null' : `'${code}'`})`);
  migrateDatabase(db);
  const codes = db.prepare<Record<string, never>, { cause_code: string; handler_limit: string | null }>(
    'select cause_code, handler_limit from result order by job_id',
  );
  expect(codes.all({}).map((row) => [row.cause_code, row.handler_limit])).toEqual([
    ['memory', 'max'],
    ['time', 'max'],
    ['memory', 'attempts'],
    ['disk', null],
    ['node', null],
  ]);
});
