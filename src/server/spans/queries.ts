import type { CauseCode } from '../../core/contract/cause-code.ts';
import { ENDED } from '../../core/job/statuses.ts';
import { anyOf } from '../records/rows/status.ts';
import type { Database, NoParameters } from '../store/database.ts';

/** Unix milliseconds of an end; null where the text is not a time. */
const endedMs = (table: string) =>
  `cast(round((julianday(${table}.completion_time) - 2440587.5) * 86400000) as integer)`;
const startedMs = (table: string) => `(${endedMs(table)} - cast(round(${table}.exec_time_minutes * 60000) as integer))`;

/** An attempt that ended, and its job. */
export interface EndedRow {
  id: number;
  workflow_id: number;
  run_id: number;
  job_id: number;
  attempt_id: number;
  job_name: string;
  hostname: string | null;
  status: number;
  return_code: number;
  cause: string | null;
  cause_code: CauseCode | null;
  peak_memory_bytes: number | null;
  avg_cpu_percent: number | null;
  ended_ms: number | null;
  started_ms: number | null;
  /** Its job has ended with it. */
  is_last: number;
  /** The start of the first attempt of the job in this run. */
  first_ms: number | null;
}

export interface TracedWorkflowRow {
  id: number;
  name: string;
  user: string;
  timestamp: string;
  run_id: number;
  is_canceled: number;
}

export const spanQueries = (db: Database) => ({
  lastResult: db.prepare<NoParameters, { id: number | null }>('select max(id) as id from result'),
  ended: db.prepare<{ after: number; limit: number }, EndedRow>(`
    select result.id, result.workflow_id, result.run_id, result.job_id, result.attempt_id, job.name as job_name,
      node.hostname, result.status, result.return_code, result.cause, result.cause_code, result.peak_memory_bytes,
      result.avg_cpu_percent, ${endedMs('result')} as ended_ms, ${startedMs('result')} as started_ms,
      job.result_id = result.id and job.status in ${anyOf(ENDED)} as is_last,
      (select min(${startedMs('earlier')}) from result earlier
        where earlier.job_id = result.job_id and earlier.run_id = result.run_id) as first_ms
    from result
    join job on job.id = result.job_id
    left join compute_node node on node.id = result.compute_node_id
    where result.id > :after
    order by result.id
    limit :limit`),
  workflow: db.prepare<{ id: number }, TracedWorkflowRow>(
    'select id, name, user, timestamp, run_id, is_canceled from workflow where id = :id and removed_at_ms is null',
  ),
});
