import type { Database } from '../store/database.ts';
import { dependentsOfJob } from '../records/edges/release.ts';
import { jobColumns, type JobRow } from '../records/rows/job.ts';
import { STATUS } from '../records/rows/status.ts';
import { insertStats } from '../records/slurm-stats.ts';

/** The fields of a job that its start or end needs. */
export interface EndingJob extends Readonly<
  Pick<JobRow, 'id' | 'workflow_id' | 'name' | 'status' | 'attempt_id' | 'refunded_attempts'>
> {
  /** The runner that it was assigned to. */
  readonly claimed_by: number | null;
  /** The number of its dependents, counted up to a page. */
  readonly dependents: number;
}

/** A job that a runner of Torc reports as started. */
export interface StartedJob extends JobRow {
  /** The run of its workflow; null for a deleted workflow. */
  readonly current_run: number | null;
  /** Whether the runner is a compute node of its workflow: 1 or 0. */
  readonly is_of_workflow: number;
}

/** The workflow of a job, and its run; null for a deleted workflow. */
interface RunOfJob {
  readonly workflow_id: number;
  readonly current_run: number | null;
}

const currentRun = `
    left join workflow on workflow.id = job.workflow_id and workflow.removed_at_ms is null
    where job.id = :id`;

export const resultReportQueries = (db: Database) => ({
  job: db.prepare<{ id: number }, EndingJob>(`
    select id, workflow_id, name, status, attempt_id, refunded_attempts, claimed_by,
      ${dependentsOfJob} as dependents
    from job
    where id = :id`),

  // Torc's routes report one job at a time: all that a start reads in one statement takes half as long as in four.
  toStart: db.prepare<{ id: number; nodeId: number }, StartedJob>(`
    select ${jobColumns}, workflow.run_id as current_run,
      exists (
        select 1 from compute_node where compute_node.id = :nodeId and compute_node.workflow_id = job.workflow_id
      ) as is_of_workflow
    from job${currentRun}`),
  runOf: db.prepare<{ id: number }, RunOfJob>(`
    select job.workflow_id, workflow.run_id as current_run
    from job${currentRun}`),

  start: db.prepare<{ id: number; nodeId: number; startTime: string }>(`
    update job set status = ${STATUS.running}, compute_node_id = :nodeId, claimed_by = :nodeId, start_time = :startTime
    where id = :id`),

  // An attempt already has a result if its job was rerun by hand within the run: the later one counts.
  insertResults: db.prepareInserts<{
    jobId: number;
    workflowId: number;
    runId: number;
    attemptId: number;
    nodeId: number;
    returnCode: number;
    minutes: number;
    completionTime: string;
    status: number;
    peakMemory: number | null;
    avgMemory: number | null;
    peakCpu: number | null;
    avgCpu: number | null;
    peakGpuMemory: number | null;
    gpuMemory: number | null;
    gpuWatts: number | null;
    cause: string | null;
    causeCode: string | null;
    handlerLimit: string | null;
  }>(`
    insert or replace into result (
      job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status,
      peak_memory_bytes, avg_memory_bytes, peak_cpu_percent, avg_cpu_percent, peak_gpu_memory_bytes,
      gpu_memory_bytes, avg_gpu_watts, cause, cause_code, handler_limit
    ) values (
      :jobId, :workflowId, :runId, :attemptId, :nodeId, :returnCode, :minutes, :completionTime, :status,
      :peakMemory, :avgMemory, :peakCpu, :avgCpu, :peakGpuMemory, :gpuMemory, :gpuWatts, :cause, :causeCode, :handlerLimit
    )`),
  insertStats: insertStats(db),
  hasResult: db.prepare<{ jobId: number; runId: number; attemptId: number }, { id: number }>(
    'select id from result where job_id = :jobId and run_id = :runId and attempt_id = :attemptId',
  ),
  nodeOf: db.prepare<{ nodeId: number; workflowId: number }, { id: number }>(
    'select id from compute_node where id = :nodeId and workflow_id = :workflowId',
  ),

  // Started ahead, too early: the job waits on, as the next attempt.
  leaveBehind: db.prepare<{ id: number }>(
    'update job set claimed_by = null, attempt_id = attempt_id + 1 where id = :id',
  ),
  letGo: db.prepare<{ id: number }>('update job set claimed_by = null where id = :id'),
  // Each end is `[id, status, result id]`. One statement for many costs two thirds of one for each.
  end: db.prepare<{ ends: string }>(`
    update job set
      status = ended.value ->> 1, result_id = ended.value ->> 2,
      compute_node_id = null, start_time = null, claimed_by = null
    from json_each(:ends) ended
    where job.id = ended.value ->> 0`),

  addTime: db.prepare<{ workflowId: number; minutes: number; firstSecond: number | null; lastSecond: number | null }>(`
    insert into workflow_time (workflow_id, minutes, first_s, last_s)
    values (:workflowId, :minutes, :firstSecond, :lastSecond)
    on conflict (workflow_id) do update set
      minutes = minutes + excluded.minutes,
      first_s = coalesce(min(first_s, excluded.first_s), first_s, excluded.first_s),
      last_s = coalesce(max(last_s, excluded.last_s), last_s, excluded.last_s)`),
  fileTime: db.prepare<{ id: number; workflowId: number; mtime: number }>(
    `update file set st_mtime = :mtime, removal = null, removal_node = null, removed_bytes = null
    where id = :id and workflow_id = :workflowId`,
  ),
  // A folder that the first attempt found may have more in it than jobs put there: it has no size, and is never deleted.
  madeFile: db.prepare<{ jobId: number; fileId: number; mtime: number; size: number; wasThere: number }>(`
    update job_output_file set
      made_mtime = :mtime,
      made_size = case when :wasThere = 1 and coalesce(made_size, -1) < 0 then -1 else :size end
    where job_id = :jobId and file_id = :fileId`),
  readFile: db.prepare<{ jobId: number; fileId: number; mtime: number; size: number; hash: string | null }>(`
    update job_input_file set read_mtime = :mtime, read_size = :size, read_hash = :hash
    where job_id = :jobId and file_id = :fileId`),
});

export type ResultReportQueries = ReturnType<typeof resultReportQueries>;
