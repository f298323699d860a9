import type { Database } from '../store/database.ts';
import { insertEvent } from '../store/event-row.ts';
import { upstreamOfJob } from '../store/upstream.ts';
import { jobColumns, type JobRow, unsettled } from '../store/job-row.ts';

export const recoverQueries = (db: Database) => ({
  cancelWorkflow: db.prepare<{ id: number }>('update workflow set is_canceled = 1 where id = :id'),
  // Running jobs keep their node and start time: people look there for what was cut off.
  cancelJobs: db.prepare<{ workflowId: number }>(
    `update job set status = 7, claimed_by = null where workflow_id = :workflowId and status in (3, 4) and ${unsettled}`,
  ),
  busyJobs: db.prepare<{ workflowId: number }, { jobs: number }>(`
    select coalesce(sum(jobs), 0) as jobs
    from job_count
    where workflow_id = :workflowId and status in (3, 4)`),
  openAllocations: db.prepare<{ workflowId: number }, { allocations: number }>(`
    select count(*) as allocations
    from scheduled_compute_node
    where workflow_id = :workflowId and status in ('pending', 'active')`),
  nextRun: db.prepare<{ id: number }>('update workflow set is_canceled = 0, run_id = run_id + 1 where id = :id'),

  resetAll: db.prepare<{ workflowId: number }>(`
    update job set status = 0, start_time = null, compute_node_id = null, claimed_by = null
    where workflow_id = :workflowId`),
  resetDownstreamOfFailed: db.prepare<{ workflowId: number }>(`
    with recursive downstream (id) as (
      select edge.job_id
      from job
      join job_depends_on edge on edge.depends_on_job_id = job.id
      where job.workflow_id = :workflowId and job.status in (6, 7, 8) and ${unsettled}
      union
      select edge.job_id from job_depends_on edge join downstream on edge.depends_on_job_id = downstream.id
    )
    update job set status = 0, start_time = null, compute_node_id = null, claimed_by = null
    where id in (select id from downstream) and status not in (6, 7, 8, 10)`),
  resetFailed: db.prepare<{ workflowId: number }>(`
    update job set status = 0, start_time = null, compute_node_id = null, claimed_by = null
    where workflow_id = :workflowId and status in (6, 7, 8, 10) and ${unsettled}`),

  setStatus: db.prepare<{ id: number; status: number }>(
    // Between pending and running its runner keeps the job.
    `update job set
      status = :status,
      claimed_by = case when status in (3, 4) and :status in (3, 4) then claimed_by end
    where id = :id`,
  ),
  // Whoever holds the attempt lets go of it, so that none is left behind (trigger attempt_left_behind).
  letGo: db.prepare<{ id: number }>('update job set claimed_by = null where id = :id'),
  // A runner of ours tells the server everything in its exchange; one of the original uses these routes itself.
  isHeldByOurs: db.prepare<{ id: number }, { id: number }>(`
    select job.id
    from job
    join compute_node on compute_node.id = job.claimed_by
    where job.id = :id and job.status in (3, 4) and compute_node.process is not null`),
  // Blocked by hand: what it waits for was not counted while it was something else.
  countUnmet: db.prepare<{ id: number }>(`update job set (unmet, upstream_failed) = (${upstreamOfJob}) where id = :id`),
  // A dependency that had ended is open again.
  countUp: db.prepare<{ id: number }>(`
    update job set unmet = unmet + 1
    where id in (select job_id from job_depends_on where depends_on_job_id = :id) and status = 1`),
  resetDoneDependants: db.prepare<{ id: number }>(`
    update job set status = 0, start_time = null, compute_node_id = null, claimed_by = null
    where id in (select job_id from job_depends_on where depends_on_job_id = :id) and status in (5, 6)`),

  retry: db.prepare<{ id: number }>(`
    update job set
      status = 2, attempt_id = attempt_id + 1, origin = coalesce(origin, 'retry'),
      start_time = null, compute_node_id = null, claimed_by = null
    where id = :id`),
  writeEvent: insertEvent(db),

  changedUserData: db.prepare<{ workflowId: number }, { id: number; name: string; status: number }>(`
    select distinct job.id, job.name, job.status
    from user_data
    join job_input_user_data reads on reads.user_data_id = user_data.id
    join job on job.id = reads.job_id
    where user_data.workflow_id = :workflowId and user_data.data is not user_data.initialized_data
    order by job.id`),

  // What a runner that is gone was handed.
  heldBy: db.prepare<{ workflowId: number; nodeId: number }, JobRow>(`
    select ${jobColumns}
    from job
    where workflow_id = :workflowId and status in (3, 4) and ${unsettled} and claimed_by = :nodeId
    order by id`),
  giveBack: db.prepare<{ id: number }>('update job set status = 2, claimed_by = null where id = :id'),
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
  }>(`
    insert or ignore into result (
      job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status
    ) values (:jobId, :workflowId, :runId, :attemptId, :nodeId, -128, :minutes, :completionTime, 6)`),
});

export type RecoverQueries = ReturnType<typeof recoverQueries>;
