import { expect, it } from 'vitest';
import { causeOfRecord, exitCodesOf } from '../../core/attempt/judge.ts';
import { statusOf } from '../../core/contract/job.ts';
import { openDatabase } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { migrations } from './migrations.gen.ts';

const OLDER = 27;
const KILLED = 'killed by SIGKILL, and nothing says by whom';
const [COMPLETED, FAILED, CANCELED, TERMINATED, UNDECIDED] = [5, 6, 7, 8, 10] as const;

it('the migration of results gives each the cause that its status and code prove, and keeps what is stored', () => {
  const db = openDatabase(':memory:');
  db.run('pragma foreign_keys = off');
  for (const { sql } of migrations.slice(0, OLDER)) db.run(sql);
  db.run(`pragma user_version = ${OLDER}`);
  const executions = [null, { timeout_exit_code: 200, oom_exit_code: 201 }];
  for (const [index, each] of executions.entries())
    db.run(`
      insert into workflow (id, name, user, timestamp, execution_config)
      values (${index + 1}, 'w', 'u', '', ${each === null ? 'null' : `'${JSON.stringify(each)}'`})`);
  const statuses = [COMPLETED, FAILED, CANCELED, TERMINATED, UNDECIDED];
  const codes = [-128, ...Array.from({ length: 256 }, (_, code) => code)];
  let jobs = 0;
  const insert = (workflow: number, status: number, code: number, cause: string) =>
    db.run(`
      insert into result (
        job_id, workflow_id, run_id, compute_node_id, return_code, exec_time_minutes, completion_time, status, cause, cause_code
      ) values (${(jobs += 1)}, ${workflow}, 1, 1, ${code}, 0, '', ${status}, ${cause})`);
  for (const workflow of [1, 2])
    for (const status of statuses) for (const code of codes) insert(workflow, status, code, 'null, null');
  insert(1, FAILED, 137, `'${KILLED}', 'killed'`);
  insert(1, FAILED, 3, `'Slurm: NODE_FAIL', 'node'`);

  migrateDatabase(db);
  const rows = db
    .prepare<
      Record<string, never>,
      { workflow_id: number; status: number; return_code: number; cause: string | null; cause_code: string | null }
    >('select workflow_id, status, return_code, cause, cause_code from result order by job_id')
    .all({});
  const stored = rows.splice(-2);
  expect(stored.map((row) => [row.cause, row.cause_code])).toEqual([
    [null, 'killed'],
    ['Slurm: NODE_FAIL', 'node'],
  ]);
  const wrong = rows.filter((row) => {
    const end = { status: statusOf(row.status), returnCode: row.return_code };
    const proven = causeOfRecord(end, exitCodesOf(executions[row.workflow_id - 1]));
    return row.cause_code !== (proven ?? null);
  });
  expect(wrong).toEqual([]);
  expect(rows.filter((row) => row.cause_code !== null).length).toBeGreaterThan(1000);
});
