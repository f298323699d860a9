import { FAILED } from '../../core/job/statuses.ts';
import { FAILED as HAS_FAILED, RETRY } from '../../core/lifecycle/timeline/attempt-list.ts';
import { anyOf, STATUS } from '../records/rows/status.ts';
import { unsettled } from '../records/rows/job.ts';
import type { WorkflowRow } from '../records/rows/workflow.ts';
import type { Database } from '../store/database.ts';

export interface OverviewRow extends Pick<
  WorkflowRow,
  'id' | 'name' | 'user' | 'project' | 'timestamp' | 'run_id' | 'is_canceled' | 'is_archived'
> {
  /** Pairs of a status and a number of jobs, as JSON text. */
  counts: string;
  runners: number;
}

/** What was stopped has not failed. */
const hasFailed = `status in ${anyOf(FAILED)}`;

/** Unix milliseconds of an end; null where the text is not a time. `julianday` is exact to 40 µs. */
const ENDED_MS = 'cast(round((julianday(result.completion_time) - 2440587.5) * 86400000) as integer)';
/** After the last row of a list by id. */
type Part = { workflowId: number; after: number; limit: number };

interface RunningNowRow {
  job_id: number;
  job_name: string;
  compute_node_name: string | null;
  start_time: string | null;
}

interface ListedJob {
  id: number;
  name: string;
  status: number;
  attempt_id: number;
  return_code: number | null;
  seconds: number | null;
  peak_memory_bytes: number | null;
}

export interface FailedRow {
  id: number;
  name: string;
  return_code: number;
  cause: string | null;
  cause_code: string | null;
  run_id: number;
  attempt_id: number;
}

export interface RequirementsRow {
  id: number;
  name: string;
  num_cpus: number;
  num_gpus: number;
  num_nodes: number;
  memory: string;
  runtime: string;
  memory_bytes: number;
  runtime_s: number;
}

/** A job with its current result, if it has one. */
export interface UsedRow {
  id: number;
  name: string;
  status: number;
  resource_requirements_id: number;
  readonly timeout: string | null;
  result_status: number | null;
  return_code: number | null;
  cause_code: string | null;
  seconds: number | null;
  peak_memory_bytes: number | null;
  peak_cpu_percent: number | null;
  avg_cpu_percent: number | null;
  peak_gpu_memory_bytes: number | null;
  gpu_memory_bytes: number | null;
}

export interface RunnerRow {
  id: number;
  hostname: string;
  start_time: string;
  duration_seconds: number | null;
  is_active: number;
  cpus: number;
  memory_bytes: number;
  gpus: number;
}

export interface AttemptRow {
  run_id: number;
  attempt_id: number;
  compute_node_id: number | null;
}

/** Rows as a JSON text for each column: a third of the time that an object for each row takes. */
export interface JobColumnTexts {
  ids: string;
  names: string;
  statuses: string;
}

export interface EndedColumns {
  length: number;
  last: number | null;
  ids: string;
  jobs: string;
  nodes: string;
  marks: string;
  endsMs: string;
  tookMs: string;
}

export interface AttemptRowOfTimeline {
  /** Of the result; 0 while it runs. */
  id: number;
  job_id: number;
  job_name: string;
  attempt_id: number;
  status: number;
  return_code: number | null;
  cause: string | null;
  cause_code: string | null;
  compute_node_id: number | null;
  compute_node_name: string | null;
}

export const viewQueries = (db: Database) => ({
  overviews: db.prepare<
    Record<'user' | 'name' | 'project' | 'group' | 'seenBy', string | null> & { before: number; limit: number },
    OverviewRow
  >(`
    select id, name, user, project, timestamp, run_id, is_canceled, is_archived,
      (select json_group_array(json_array(status, jobs)) from job_count
        where workflow_id = workflow.id and jobs > 0) as counts,
      (select count(*) from compute_node where workflow_id = workflow.id and is_active = 1) as runners
    from workflow
    where id < :before and removed_at_ms is null
      and (:user is null or user = :user)
      and (:name is null or instr(lower(name), lower(:name)) > 0)
      and (:project is null or project = :project)
      and (:group is null or id in (
        select share.workflow_id from workflow_access_group share
        join access_group on access_group.id = share.group_id where access_group.name = :group))
      and (:seenBy is null or user = :seenBy
        or id in (select workflow_id from workflow_sharing where user_name = :seenBy))
    order by id desc
    limit :limit`),
  jobs: db.prepare<Part, JobColumnTexts>(`
    select json_group_array(id) as ids, json_group_array(name) as names, json_group_array(status) as statuses
    from (
      select id, name, status from job
      where workflow_id = :workflowId and id > :after
      order by id limit :limit)`),
  // The jobs of a list one after another, each with its dependencies from `afterUpstream` of its first job on: a job may
  // have a hundred thousand, so one statement reads a part of them.
  dependencies: db.prepare<
    { jobs: string; first: number; afterUpstream: number; limit: number },
    { jobs: string; upstream: string }
  >(`
    select json_group_array(job_id) as jobs, json_group_array(depends_on_job_id) as upstream
    from (
      select edge.job_id, edge.depends_on_job_id
      from json_each(:jobs) asked
      cross join job_depends_on edge
        on edge.job_id = asked.value
        and edge.depends_on_job_id > iif(asked.value = :first, :afterUpstream, 0)
      limit :limit)`),
  named: db.prepare<{ ids: string }, { id: number; name: string; status: number; attempt_id: number }>(`
    select id, name, status, attempt_id from job where id in (select value from json_each(:ids)) order by id`),
  listed: db.prepare<{ ids: string }, ListedJob>(`
    select job.id, job.name, job.status, job.attempt_id, result.return_code, result.exec_time_minutes * 60 as seconds,
      result.peak_memory_bytes
    from job left join result on result.id = job.result_id
    where job.id in (select value from json_each(:ids))
    order by job.id`),
  // Rows of other runs and without a time have no marks. `filter` would leave them out at twice the time.
  ended: db.prepare<Part & { runId: number }, EndedColumns>(`
    select count(*) as length, max(id) as last, json_group_array(id) as ids, json_group_array(job_id) as jobs,
      json_group_array(compute_node_id) as nodes, json_group_array(marks) as marks, json_group_array(end_ms) as endsMs,
      json_group_array(took_ms) as tookMs
    from (
      select id, job_id, compute_node_id, ${ENDED_MS} as end_ms, cast(round(exec_time_minutes * 60000) as integer) as took_ms,
        iif(run_id = :runId, (${hasFailed}) * ${HAS_FAILED} + (attempt_id > 1) * ${RETRY}, null) as marks
      from result
      where workflow_id = :workflowId and id > :after
      order by id limit :limit)`),
  running: db.prepare<
    Part,
    {
      id: number;
      compute_node_id: number | null;
      attempt_id: number;
      start_time: string | null;
    }
  >(`
    select id, compute_node_id, attempt_id, start_time from job
    where workflow_id = :workflowId and status = ${STATUS.running} and ${unsettled} and id > :after
    order by id limit :limit`),
  endedAttempts: db.prepare<{ ids: string }, AttemptRowOfTimeline>(`
    select result.id, result.job_id, job.name as job_name, result.attempt_id, result.status, result.return_code, result.cause,
      result.cause_code, node.id as compute_node_id, node.hostname as compute_node_name
    from result
    join job on job.id = result.job_id
    left join compute_node node on node.id = result.compute_node_id
    where result.id in (select value from json_each(:ids))`),
  runningAttempts: db.prepare<{ ids: string }, AttemptRowOfTimeline>(`
    select 0 as id, job.id as job_id, job.name as job_name, job.attempt_id, ${STATUS.running} as status, null as return_code,
      null as cause, null as cause_code, node.id as compute_node_id, node.hostname as compute_node_name
    from job
    left join compute_node node on node.id = job.compute_node_id
    where job.id in (select value from json_each(:ids))`),
  hostnames: db.prepare<{ ids: string }, { id: number; hostname: string }>(
    'select id, hostname from compute_node where id in (select value from json_each(:ids))',
  ),
  // The reader of a page sees the first few; the number of all is in the status.
  runningNow: db.prepare<Part, RunningNowRow>(`
    select job.id as job_id, job.name as job_name, node.hostname as compute_node_name, job.start_time
    from job
    left join compute_node node on node.id = job.compute_node_id
    where job.workflow_id = :workflowId and job.status = ${STATUS.running} and ${unsettled} and job.id > :after
    order by job.id limit :limit`),
  failed: db.prepare<Part & { status: number }, FailedRow>(`
    select job.id, job.name, result.return_code, result.cause, result.cause_code, result.run_id, result.attempt_id
    from job
    join result on result.id = job.result_id
    where job.workflow_id = :workflowId and job.status = :status and ${unsettled} and job.id > :after
    order by job.id limit :limit`),
  // Of all nodes of a runner together.
  runners: db.prepare<Part, RunnerRow>(`
    select id, hostname, start_time, duration_seconds, is_active, num_cpus * num_nodes as cpus,
      memory_gb * 1073741824 * num_nodes as memory_bytes, num_gpus * num_nodes as gpus
    from compute_node
    where workflow_id = :workflowId and id > :after
    order by id limit :limit`),
  requirementsOfJobs: db.prepare<Part, { ids: string; requirements: string }>(`
    select json_group_array(id) as ids, json_group_array(resource_requirements_id) as requirements
    from (
      select id, resource_requirements_id from job
      where workflow_id = :workflowId and id > :after
      order by id limit :limit)`),
  requirements: db.prepare<{ workflowId: number }, RequirementsRow>(`
    select id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s
    from resource_requirements where workflow_id = :workflowId order by id`),
  used: db.prepare<Part, UsedRow>(`
    select job.id, job.name, job.status, job.resource_requirements_id, job.timeout, result.status as result_status,
      result.return_code, result.cause_code, result.exec_time_minutes * 60 as seconds, result.peak_memory_bytes,
      result.peak_cpu_percent, result.avg_cpu_percent, result.peak_gpu_memory_bytes, result.gpu_memory_bytes
    from job
    left join result on result.id = job.result_id
    where job.workflow_id = :workflowId and job.id > :after
    order by job.id limit :limit`),
  attempts: db.prepare<{ jobId: number }, AttemptRow>(`
    select run_id, attempt_id, compute_node_id from result where job_id = :jobId order by run_id, attempt_id`),
  node: db.prepare<{ id: number }, { hostname: string; process: string | null; scheduler: string | null }>(
    'select hostname, process, scheduler from compute_node where id = :id',
  ),
});

export type ViewQueries = ReturnType<typeof viewQueries>;
