import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { Result } from '../../../core/contract/result.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { columns, insertInto, update } from '../../store/columns.ts';
import { recordTable } from '../records.ts';
import { statusOf } from '../../../core/contract/job.ts';
import { presentFields } from '../present.ts';

/** The columns that may change, besides the status and the cause that it proves. */
const measured = [
  ...columns('return_code exec_time_minutes completion_time peak_memory_bytes avg_memory_bytes'),
  ...columns('peak_cpu_percent avg_cpu_percent peak_gpu_memory_bytes gpu_memory_bytes avg_gpu_watts'),
];
/** The columns that are stored as they were reported. */
export const reportedColumns = [
  ...columns('job_id workflow_id run_id compute_node_id cause cause_code handler_limit'),
  ...measured,
];

export const resultQueries = (db: Database) => ({
  results: recordTable<
    Omit<Input<'listResults'>['query'], 'status'> & { readonly status?: number | undefined },
    ResultRow,
    Result
  >(
    db,
    {
      table: 'result',
      columns: resultColumns,
      from: resultTables,
      filters: {
        workflow_id: 'equal',
        job_id: 'equal',
        run_id: 'equal',
        return_code: 'equal',
        status: 'equal',
        compute_node_id: 'equal',
        cause_code: 'equal',
        all_runs: (asked) => (asked ? undefined : 'job.result_id = result.id'),
      },
      sortable: sortFields.result,
    },
    resultOf,
  ),
  insertResult: db.prepare<Record<string, ColumnValue>>(
    insertInto('result', [...reportedColumns, 'attempt_id', 'status']),
  ),
  makeCurrent: db.prepare<{ jobId: number; id: number }>('update job set result_id = :id where id = :jobId'),
  countTimeAgain: db.prepare<{ workflowId: number }>(`
    insert into workflow_time (workflow_id, minutes, is_stale) values (:workflowId, 0, 1)
    on conflict (workflow_id) do update set is_stale = 1 where is_stale = 0`),
  updateResult: db.prepare<Record<string, ColumnValue>>(
    update('result', ['status', 'cause', 'cause_code', ...measured]),
  ),
  sameAttempt: db.prepare<{ jobId: number; runId: number; attemptId: number }, { id: number }>(
    'select id from result where job_id = :jobId and run_id = :runId and attempt_id = :attemptId',
  ),
  nodeOf: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from compute_node where id = :id and workflow_id = :workflowId',
  ),
  forgetResult: db.prepare<{ jobId: number; id: number }>(
    'update job set result_id = null where id = :jobId and result_id = :id',
  ),
});

export type ResultRow = Omit<Result, 'status'> & { status: number };
export const resultOf = (row: ResultRow): Result => ({ ...presentFields(row), status: statusOf(row.status) });

export const resultColumns = 'result.*, job.name as job_name';
export const resultTables = 'result join job on job.id = result.job_id';
