import { ENDED, SETTLED, STOPPED, UNSUCCESSFUL, WAITS } from '../../../core/job/statuses.ts';
import type { Database } from '../../store/database.ts';
import { type Doomed, dependentsOfJob } from '../../records/edges/release.ts';
import { AFRESH } from '../../records/rows/job.ts';
import { type JobWindow, OF_WINDOW } from '../../store/rows.ts';
import { anyOf, STATUS, upstreamOfJob } from '../../records/rows/status.ts';

/** A job that reads what another one writes. */
export interface Implied {
  readonly job_id: number;
  /** The file, or the user data. */
  readonly by_id: number;
  readonly other_id: number;
  /** Whether this dependency exists already. */
  readonly is_known: number;
}

/** The dependencies that one kind of records implies, in the order of the ids. */
const implied = (db: Database, kind: 'file' | 'user_data') => {
  const [reads, writes, by] = [`job_input_${kind}`, `job_output_${kind}`, `${kind}_id`];
  const columns = `
    reads.job_id, reads.${by} as by_id, writes.job_id as other_id,
    exists (select 1 from job_depends_on edge
      where edge.job_id = reads.job_id and edge.depends_on_job_id = writes.job_id) as is_known`;
  return {
    isThere: db.prepare<{ workflowId: number }, { id: number }>(
      `select id from ${kind} where workflow_id = :workflowId limit 1`,
    ),
    upto: db.prepare<{ workflowId: number; after: number; limit: number }, { upto: number | null }>(`
      select max(id) as upto
      from (select id from ${kind} where workflow_id = :workflowId and id > :after order by id limit :limit)`),
    // What one job writes implies no more dependencies than there are rows; readers are counted for the others alone.
    product: db.prepare<JobWindow, { edges: number }>(`
      with written (id, writers) as materialized (
        select id, (select count(*) from ${writes} writes where writes.${by} = ${kind}.id)
        from ${kind}
        where workflow_id = :workflowId and id > :after and id <= :upto)
      select coalesce(sum(writers * (select count(*) from ${reads} reads where reads.${by} = written.id)), 0) as edges
      from written
      where writers > 1`),
    of: db.prepare<JobWindow & { limit: number }, Implied>(`
      select ${columns}
      from job
      cross join ${reads} reads on reads.job_id = job.id
      cross join ${writes} writes on writes.${by} = reads.${by}
      where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto and writes.job_id <> reads.job_id
      order by job.id, reads.${by}, writes.job_id
      limit :limit`),
    // Very many jobs may write what a job reads.
    rest: db.prepare<{ jobId: number; byId: number; otherId: number; limit: number }, Implied>(`
      select ${columns}
      from ${reads} reads
      cross join ${writes} writes on writes.${by} = reads.${by}
      where reads.job_id = :jobId and writes.job_id <> reads.job_id
        and reads.${by} >= :byId and (reads.${by} > :byId or writes.job_id > :otherId)
      order by reads.${by}, writes.job_id
      limit :limit`),
  };
};

/** Initialization, in the steps of `initialize.ts`. */
export const initializeQueries = (db: Database) => ({
  implied: [implied(db, 'file'), implied(db, 'user_data')],
  dependOn: db.prepareInserts<{ jobId: number; otherId: number; workflowId: number }>(`
    insert or ignore into job_depends_on (job_id, depends_on_job_id, workflow_id)
    values (:jobId, :otherId, :workflowId)`),
  // The first dependency of a job on a later one: the key of the table finds it at once.
  backward: db.prepare<JobWindow, { job_id: number }>(`
    select edge.job_id
    from job
    cross join job_depends_on edge on edge.job_id = job.id and edge.depends_on_job_id > job.id
    where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
    limit 1`),
  edges: db.prepare<JobWindow & { limit: number }, { job_id: number; other_id: number }>(`
    select edge.job_id, edge.depends_on_job_id as other_id
    from job
    cross join job_depends_on edge on edge.job_id = job.id
    where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
    order by job.id, edge.depends_on_job_id
    limit :limit`),
  edgesOf: db.prepare<{ id: number; after: number; limit: number }, { job_id: number; other_id: number }>(`
    select job_id, depends_on_job_id as other_id
    from job_depends_on
    where job_id = :id and depends_on_job_id > :after
    order by depends_on_job_id
    limit :limit`),
  jobName: db.prepare<{ id: number }, { name: string }>('select name from job where id = :id'),

  // Jobs downstream of uninitialized ones.
  uninitialized: db.prepare<JobWindow, { id: number }>(`
    select id from job
    where ${OF_WINDOW} and status = ${STATUS.uninitialized}
      and exists (select 1 from job_depends_on edge where edge.depends_on_job_id = job.id)`),
  dependents: db.prepare<{ id: number; after: number; limit: number }, { id: number; status: number }>(`
    select job.id, job.status
    from job_depends_on edge
    cross join job on job.id = edge.job_id
    where edge.depends_on_job_id = :id and edge.job_id > :after
    order by edge.job_id
    limit :limit`),
  unsettle: db.prepare<{ id: number }>(`update job set status = ${STATUS.uninitialized} where id = :id`),

  // The dependencies that a job still waits for. Disabled jobs are excluded: they neither wait nor run.
  countEdges: db.prepare<JobWindow & { limit: number }, { edges: number }>(`
    select count(*) as edges from (
      select 1
      from job
      cross join job_depends_on edge on edge.job_id = job.id
      where job.workflow_id = :workflowId and job.id > :after and job.id <= :upto
      limit :limit)`),
  countUnmet: db.prepare<JobWindow>(`
    update job set (unmet, upstream_failed) = (${upstreamOfJob})
    where ${OF_WINDOW} and status not in ${anyOf(SETTLED)}
      and (unmet <> 0 or upstream_failed <> 0
        or exists (select 1 from job_depends_on edge where edge.job_id = job.id))`),
  // The same for a job with very many dependencies, a page at a time.
  countSome: db.prepare<
    { id: number; after: number; limit: number },
    { upto: number | null; edges: number; unmet: number; failed: number }
  >(`
    select max(edge.depends_on_job_id) as upto, count(*) as edges,
      coalesce(sum(upstream.status not in ${anyOf(ENDED)}), 0) as unmet,
      coalesce(max(upstream.status in ${anyOf(STOPPED)} or (upstream.status = ${STATUS.failed} and coalesce(
        (select result.return_code from result where result.id = upstream.result_id), 1) <> 0)), 0) as failed
    from (
      select depends_on_job_id
      from job_depends_on
      where job_id = :id and depends_on_job_id > :after
      order by depends_on_job_id
      limit :limit) edge
    join job upstream on upstream.id = edge.depends_on_job_id`),
  writeUnmet: db.prepare<{ id: number; unmet: number; failed: number }>(`
    update job set unmet = :unmet, upstream_failed = :failed
    where id = :id and status not in ${anyOf(SETTLED)}`),
  block: db.prepare<JobWindow & { onlyUninitialized: number }>(`
    update job set status = ${STATUS.blocked}, ${AFRESH}
    where ${OF_WINDOW}
      and unmet > 0
      and status not in ${anyOf('blocked', SETTLED)}
      and (status = ${STATUS.uninitialized} or :onlyUninitialized = 0)`),
  // Blocked by a job that failed before: no later event will cancel them.
  doomed: db.prepare<JobWindow, Doomed>(`
    select id, name, ${dependentsOfJob} as dependents
    from job
    where ${OF_WINDOW}
      and status = ${STATUS.blocked} and unmet <= 0 and upstream_failed and cancel_on_blocking_job_failure`),
  makeReady: db.prepare<JobWindow & { keepsUndecided: number }>(`
    update job set status = ${STATUS.ready}, ${AFRESH}
    where ${OF_WINDOW}
      and (status <> ${STATUS.pending_failed} or :keepsUndecided = 0)
      and (status not in ${anyOf(WAITS, SETTLED)}
        or (status = ${STATUS.blocked} and unmet <= 0 and not (upstream_failed and cancel_on_blocking_job_failure)))`),
  dropResults: db.prepare<JobWindow & { keepsUndecided: number }>(`
    update job set result_id = null
    where ${OF_WINDOW} and result_id is not null and status not in ${anyOf(ENDED)}
      and (status <> ${STATUS.pending_failed} or :keepsUndecided = 0)`),

  userDataPage: db.prepare<{ workflowId: number; after: number; limit: number }, { upto: number | null }>(`
    select max(id) as upto
    from (select id from user_data where workflow_id = :workflowId and id > :after order by id limit :limit)`),
  rememberUserData: db.prepare<JobWindow>(`
    update user_data set initialized_data = data
    where ${OF_WINDOW} and data is not initialized_data`),
  deletedFiles: db.prepare<{ workflowId: number; before: number; limit: number }, { id: number }>(`
    select id from file
    where workflow_id = :workflowId and temporary = 1 and removal in ('deleting', 'deleted', 'cleaned') and id < :before
    order by id desc limit :limit`),
  neededMakers: db.prepare<{ fileId: number }, { id: number }>(`
    select maker.id
    from job_output_file made
    join job maker on maker.id = made.job_id
    where made.file_id = :fileId and maker.status = ${STATUS.completed}
      and exists (
        select 1 from job_input_file reads join job reader on reader.id = reads.job_id
        where reads.file_id = :fileId and reader.status = ${STATUS.uninitialized})`),
  crateFiles: db.prepare<
    { workflowId: number; after: number; limit: number },
    { id: number; path: string; st_mtime: number; entity_id: string | null }
  >(`
    select file.id, file.path, file.st_mtime, entity.entity_id
    from file
    left join ro_crate_entity entity on entity.workflow_id = file.workflow_id and entity.file_id = file.id
    where file.workflow_id = :workflowId and file.id > :after and file.st_mtime is not null
    order by file.id
    limit :limit`),
  // An existing entity of the file has the same properties, and the file's modification time.
  addEntity: db.prepare<{
    workflowId: number;
    fileId: number | null;
    entityId: string;
    type: string;
    metadata: string;
  }>(`
    insert into ro_crate_entity (workflow_id, file_id, entity_id, entity_type, metadata)
    values (:workflowId, :fileId, :entityId, :type, :metadata)
    on conflict (workflow_id, file_id) do update set metadata = json_patch(excluded.metadata, json_patch(
      metadata, json_object('dateModified', excluded.metadata ->> 'dateModified')))
    on conflict do nothing`),
  // Actions become available for another run.
  dropRecoveryActions: db.prepare<{ workflowId: number }>(
    'delete from workflow_action where workflow_id = :workflowId and is_recovery = 1',
  ),
  // The actions that asked for them are armed again.
  dropPlanned: db.prepare<{ workflowId: number }>(
    "delete from scheduled_compute_node where workflow_id = :workflowId and status = 'planned'",
  ),
  countTriggers: db.prepare<{ workflowId: number }>(`
    update workflow_action set trigger_count = case trigger_type
      when 'on_workflow_start' then 1
      when 'on_worker_start' then required_triggers
      when 'on_worker_complete' then required_triggers
      else 0 end
    where workflow_id = :workflowId`),
  // Actions executed for a start, or for jobs that stay complete, are not executed again.
  rearmActions: db.prepare<{ workflowId: number; onlyUninitialized: number }>(`
    update workflow_action set executed = 0, executed_by = null
    where workflow_id = :workflowId and executed = 1 and (:onlyUninitialized = 0 or case
      when trigger_type = 'on_workflow_start' then 0
      when trigger_type in ('on_jobs_ready', 'on_jobs_complete') then exists (
        select 1 from json_each(workflow_action.job_ids) named
        cross join job on job.id = named.value and job.status not in ${anyOf(ENDED)})
      else 1 end)`),
  terminatedCount: db.prepare<{ workflowId: number }, { jobs: number }>(
    `select jobs from job_count where workflow_id = :workflowId and status = ${STATUS.terminated}`,
  ),
  hasUnsuccessful: db.prepare<{ workflowId: number }, { status: number }>(
    `select status from job_count where workflow_id = :workflowId and status in ${anyOf(UNSUCCESSFUL)} and jobs > 0 limit 1`,
  ),
  readyCount: db.prepare<{ workflowId: number }, { jobs: number }>(
    `select jobs from job_count where workflow_id = :workflowId and status = ${STATUS.ready}`,
  ),
});

export type InitializeQueries = ReturnType<typeof initializeQueries>;
