import { HELD, RAN_TO_ITS_END, RECOVERABLE, STOPPED, UNSUCCESSFUL } from '../../core/job/statuses.ts';
import type { Database } from '../store/database.ts';
import { insertEvent } from '../records/event/queries.ts';
import { dependentsOfJob } from '../records/edges/release.ts';
import { anyOf, STATUS, upstreamOfJob } from '../records/rows/status.ts';
import { AFRESH, jobColumns, type JobRow, unsettled } from '../records/rows/job.ts';
import type { JobWindow } from '../store/rows.ts';

export const recoverQueries = (db: Database) => ({
  cancelWorkflow: db.prepare<{ id: number }>('update workflow set is_canceled = 1 where id = :id'),
  // Running jobs keep their node and start time: users look there for interrupted jobs.
  cancelJobs: db.prepare<{ workflowId: number; limit: number }>(`
    update job set status = ${STATUS.canceled}, claimed_by = null
    where id in (
      select id from job
      where workflow_id = :workflowId and status in ${anyOf(HELD)} and ${unsettled}
      limit :limit)`),
  toCancel: db.prepare<
    { id: number },
    { workflow_id: number; name: string; status: number; claimed_by: number | null; dependents: number }
  >(`
    select workflow_id, name, status, claimed_by, ${dependentsOfJob} as dependents
    from job
    where id = :id`),
  // A running job keeps its node and start time, as those of a canceled workflow do.
  cancelJob: db.prepare<{ id: number }>(`update job set status = ${STATUS.canceled}, claimed_by = null where id = :id`),
  busyJobs: db.prepare<{ workflowId: number }, { jobs: number }>(`
    select coalesce(sum(jobs), 0) as jobs
    from job_count
    where workflow_id = :workflowId and status in ${anyOf(HELD)}`),
  openAllocations: db.prepare<{ workflowId: number }, { allocations: number }>(`
    select count(*) as allocations
    from scheduled_compute_node
    where workflow_id = :workflowId and status in ('pending', 'active')`),
  nextRun: db.prepare<{ id: number }>('update workflow set is_canceled = 0, run_id = run_id + 1 where id = :id'),

  allJobs: db.prepare<{ workflowId: number }, { jobs: number }>(
    'select coalesce(sum(jobs), 0) as jobs from job_count where workflow_id = :workflowId',
  ),
  idRange: db.prepare<{ workflowId: number }, { first: number | null; last: number | null }>(`
    select
      (select min(id) from job where workflow_id = :workflowId) as first,
      (select max(id) from job where workflow_id = :workflowId) as last`),
  dependents: db.prepare<{ id: number; after: number; limit: number }, { id: number }>(`
    select job.id
    from job_depends_on edge
    cross join job on job.id = edge.job_id
    where edge.depends_on_job_id = :id and edge.job_id > :after and job.status <> ${STATUS.disabled}
    order by edge.job_id
    limit :limit`),
  resetAll: db.prepare<JobWindow>(`
    update job set status = ${STATUS.uninitialized}, ${AFRESH}
    where workflow_id = :workflowId and id > :after and id <= :upto`),
  // Jobs that wait for a decision have not ended, so nothing downstream of them has run. Those in the lists are reset last.
  failed: {
    count: db.prepare<{ workflowId: number }, { jobs: number }>(`
      select coalesce(sum(jobs), 0) as jobs
      from job_count
      where workflow_id = :workflowId and status in ${anyOf(RECOVERABLE)}`),
    upstream: db.prepare<JobWindow, { id: number }>(`
      select id from job
      where workflow_id = :workflowId and id > :after and id <= :upto and status in ${anyOf(UNSUCCESSFUL)}
        and exists (select 1 from job_depends_on edge where edge.depends_on_job_id = job.id)`),
    reset: db.prepare<JobWindow>(`
      update job set status = ${STATUS.uninitialized}, ${AFRESH}
      where workflow_id = :workflowId and id > :after and id <= :upto and status in ${anyOf(RECOVERABLE)}`),
    resetDependent: db.prepare<{ id: number }>(`
      update job set status = ${STATUS.uninitialized}, ${AFRESH}
      where id = :id and status not in ${anyOf(RECOVERABLE)}`),
  },
  interrupted: {
    all: db.prepare<JobWindow, { id: number }>(`
      select id from job
      where workflow_id = :workflowId and id > :after and id <= :upto and status in ${anyOf(STOPPED)}`),
    upstream: db.prepare<JobWindow, { id: number }>(`
      select id from job
      where workflow_id = :workflowId and id > :after and id <= :upto and status in ${anyOf(STOPPED)}
        and exists (select 1 from job_depends_on edge where edge.depends_on_job_id = job.id)`),
    resetOne: db.prepare<{ id: number }>(`update job set status = ${STATUS.uninitialized}, ${AFRESH} where id = :id`),
    resetDependent: db.prepare<{ id: number }>(`
      update job set status = ${STATUS.uninitialized}, ${AFRESH}
      where id = :id and status not in ${anyOf(STOPPED)}`),
    canceledByFailure: db.prepare<JobWindow, { id: number }>(`
      select id from job
      where workflow_id = :workflowId and id > :after and id <= :upto and status = ${STATUS.canceled}
        and cancel_on_blocking_job_failure
        and exists (
          select 1
          from job_depends_on edge
          join job upstream on upstream.id = edge.depends_on_job_id
          left join result on result.id = upstream.result_id
          where edge.job_id = job.id and upstream.status = ${STATUS.failed} and coalesce(result.return_code, 1) <> 0)`),
    canceledDependents: db.prepare<{ id: number; after: number; limit: number }, { id: number }>(`
      select job.id
      from job_depends_on edge
      cross join job on job.id = edge.job_id
      where edge.depends_on_job_id = :id and edge.job_id > :after
        and job.status = ${STATUS.canceled} and job.cancel_on_blocking_job_failure
      order by edge.job_id
      limit :limit`),
  },

  setStatus: db.prepare<{ id: number; status: number }>(
    // Between pending and running its runner keeps the job.
    `update job set
      status = :status,
      claimed_by = case when status in ${anyOf(HELD)} and :status in ${anyOf(HELD)} then claimed_by end
    where id = :id`,
  ),
  // Set to running by hand, while its runner holds it and has not reported the start.
  sayWhere: db.prepare<{ id: number; startTime: string }>(`
    update job set compute_node_id = coalesce(compute_node_id, claimed_by), start_time = coalesce(start_time, :startTime)
    where id = :id and claimed_by is not null`),
  // The runner releases the attempt, so that none is left behind (trigger attempt_left_behind).
  letGo: db.prepare<{ id: number }>('update job set claimed_by = null where id = :id'),
  // Our runners report everything in their exchange; Torc's runners use these routes themselves.
  isHeldByOurs: db.prepare<{ id: number }, { id: number }>(`
    select job.id
    from job
    join compute_node on compute_node.id = job.claimed_by
    where job.id = :id and job.status in ${anyOf(HELD)} and compute_node.process is not null`),
  // Blocked by hand: its dependencies were not counted while it had another status.
  countUnmet: db.prepare<{ id: number }>(`update job set (unmet, upstream_failed) = (${upstreamOfJob}) where id = :id`),
  // A dependency that had ended is open again.
  countUp: db.prepare<{ id: number }>(`
    update job set unmet = unmet + 1
    where id in (select job_id from job_depends_on where depends_on_job_id = :id) and status = ${STATUS.blocked}`),
  countUpDependents: db.prepare<{ id: number; after: number; upto: number }>(`
    update job set unmet = unmet + 1
    where status = ${STATUS.blocked}
      and id in (select job_id from job_depends_on where depends_on_job_id = :id and job_id > :after and job_id <= :upto)`),
  resetDoneDependents: db.prepare<{ id: number; after: number; upto: number }>(`
    update job set status = ${STATUS.uninitialized}, ${AFRESH}
    where status in ${anyOf(RAN_TO_ITS_END)}
      and id in (select job_id from job_depends_on where depends_on_job_id = :id and job_id > :after and job_id <= :upto)`),

  retry: db.prepare<{ id: number }>(`
    update job set
      status = ${STATUS.ready}, attempt_id = attempt_id + 1, origin = coalesce(origin, 'retry'),
      start_time = null, compute_node_id = null, claimed_by = null
    where id = :id`),
  // An attempt that was lost with its runner: no failure handler counts it.
  refund: db.prepare<{ id: number }>('update job set refunded_attempts = refunded_attempts + 1 where id = :id'),
  writeEvent: insertEvent(db),

  changedUserData: db.prepare<{ workflowId: number; after: number }, { id: number }>(`
    select id from user_data
    where workflow_id = :workflowId and id > :after and data is not initialized_data
    order by id
    limit 1`),
  readersOf: db.prepare<{ id: number; after: number; limit: number }, { id: number; name: string }>(`
    select job.id, job.name
    from job_input_user_data reads
    join job on job.id = reads.job_id
    where reads.user_data_id = :id and reads.job_id > :after and job.status <> ${STATUS.disabled}
    order by reads.job_id
    limit :limit`),

  lease: db.prepare<
    { workflowId: number },
    { token: string; holder: string; until_ms: number; process: string | null }
  >('select token, holder, until_ms, process from recovery_lease where workflow_id = :workflowId'),
  setLease: db.prepare<{
    workflowId: number;
    token: string;
    holder: string;
    untilMs: number;
    process: string | null;
  }>(`
    insert or replace into recovery_lease (workflow_id, token, holder, until_ms, process)
    values (:workflowId, :token, :holder, :untilMs, :process)`),
  dropLease: db.prepare<{ workflowId: number; token: string }>(
    'delete from recovery_lease where workflow_id = :workflowId and token = :token',
  ),

  // Jobs assigned to a lost runner.
  heldBy: db.prepare<{ workflowId: number; nodeId: number }, JobRow>(`
    select ${jobColumns}
    from job
    where workflow_id = :workflowId and status in ${anyOf(HELD)} and ${unsettled} and claimed_by = :nodeId
    order by id`),
  claimedAhead: db.prepare<{ workflowId: number; nodeId: number }, JobRow>(`
    select ${jobColumns}
    from job
    where claimed_by = :nodeId and status = ${STATUS.blocked} and workflow_id = :workflowId
    order by id`),
  nextAttempt: db.prepare<{ id: number }>('update job set attempt_id = attempt_id + 1 where id = :id'),
  giveBack: db.prepare<{ id: number }>(`update job set status = ${STATUS.ready}, claimed_by = null where id = :id`),
  deactivate: db.prepare<{ nodeId: number }>('update compute_node set is_active = 0 where id = :nodeId'),
  node: db.prepare<{ nodeId: number; workflowId: number }, { id: number; is_active: number; hostname: string }>(
    'select id, is_active, hostname from compute_node where id = :nodeId and workflow_id = :workflowId',
  ),
  insertLostResult: db.prepare<{
    jobId: number;
    workflowId: number;
    runId: number;
    attemptId: number;
    nodeId: number;
    completionTime: string;
    minutes: number;
    cause: string;
  }>(`
    insert or ignore into result (
      job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status,
      cause, cause_code
    ) values (:jobId, :workflowId, :runId, :attemptId, :nodeId, -128, :minutes, :completionTime, ${STATUS.failed}, :cause, 'lost')`),
});

export type RecoverQueries = ReturnType<typeof recoverQueries>;
