import type { UpdatedRecordKind } from '../../../core/contract/plan-update.ts';
import { definitionNames, referenceNames } from '../../../core/job/fields.ts';
import { HELD, NOT_BEGUN, REPORTED, UNCLAIMED } from '../../../core/job/statuses.ts';
import { assigned } from '../../records/job/queries.ts';
import type { Database, ColumnValue } from '../../store/database.ts';
import { type JobWindow, OF_WINDOW } from '../../store/rows.ts';
import { eachRelation } from '../../records/job/relations/queries.ts';
import { anyOf, STATUS } from '../../records/rows/status.ts';

/** A job as far as an update depends on it. */
export interface PlacedJob {
  readonly id: number;
  readonly name: string;
  /** A runner has it: it is pending or running, or claimed ahead. */
  readonly is_held: number;
  /** It has ended, or was never initialized: with a choice it stays so unless it is named. */
  readonly is_settled: number;
}

const placed = `job.id, job.name, (job.status in ${anyOf(HELD)} or job.claimed_by is not null) as is_held,
  job.status in ${anyOf(REPORTED)} as is_settled`;

const TABLES: Record<UpdatedRecordKind | 'jobs', string> = {
  files: 'file',
  user_data: 'user_data',
  resource_requirements: 'resource_requirements',
  slurm_schedulers: 'slurm_scheduler',
  failure_handlers: 'failure_handler',
  jobs: 'job',
};

/** Whether a record is still used: then it stays. */
const USES: Record<UpdatedRecordKind, string> = {
  files: `exists (select 1 from job_input_file where file_id = :id)
    or exists (select 1 from job_output_file where file_id = :id)`,
  user_data: `exists (select 1 from job_input_user_data where user_data_id = :id)
    or exists (select 1 from job_output_user_data where user_data_id = :id)`,
  resource_requirements: `name = 'default' or exists (
    select 1 from job_class join job on job.class_id = job_class.id
    where job_class.workflow_id = :workflowId and job_class.resource_requirements_id = :id)`,
  slurm_schedulers: `exists (select 1 from scheduled_compute_node where scheduler_config_id = :id) or exists (
    select 1 from job_class join job on job.class_id = job_class.id
    where job_class.workflow_id = :workflowId and job_class.scheduler_id = :id)`,
  failure_handlers: 'false',
};

const each = <Key extends string, Made>(of: Record<Key, unknown>, make: (key: Key) => Made) =>
  Object.fromEntries((Object.keys(of) as Key[]).map((key) => [key, make(key)])) as Record<Key, Made>;

export const updateQueries = (db: Database) => ({
  has: each(TABLES, (kind) =>
    db.prepare<{ id: number; workflowId: number }, { id: number }>(
      `select id from ${TABLES[kind]} where id = :id and workflow_id = :workflowId`,
    ),
  ),
  names: db.prepare<JobWindow, { name: string }>(`select name from job where ${OF_WINDOW} and removed_at_ms is null`),
  placed: db.prepare<{ id: number }, PlacedJob>(`select ${placed} from job where id = :id`),
  dependents: db.prepare<{ id: number; after: number; limit: number }, PlacedJob>(`
    select ${placed}
    from job_depends_on edge
    cross join job on job.id = edge.job_id
    where edge.depends_on_job_id = :id and edge.job_id > :after and job.status <> ${STATUS.disabled}
    order by edge.job_id
    limit :limit`),
  upstream: db.prepare<{ id: number }, { id: number }>(
    'select depends_on_job_id as id from job_depends_on where job_id = :id',
  ),
  hasBegun: db.prepare<{ workflowId: number }, { status: number }>(`
    select status from job_count
    where workflow_id = :workflowId and status not in ${anyOf(NOT_BEGUN)} and jobs > 0
    limit 1`),

  // The steps of an update, stored before the first is applied.
  storeStep: db.prepare<{ workflowId: number; position: number; step: string }>(
    'insert into plan_update_step (workflow_id, position, step) values (:workflowId, :position, :step)',
  ),
  storedStep: db.prepare<{ workflowId: number; position: number }, { step: string; ids: string | null }>(
    'select step, ids from plan_update_step where workflow_id = :workflowId and position = :position',
  ),
  storeIds: db.prepare<{ workflowId: number; position: number; ids: string }>(
    'update plan_update_step set ids = :ids where workflow_id = :workflowId and position = :position',
  ),
  dropSteps: db.prepare<{ workflowId: number; limit: number }>(`
    delete from plan_update_step
    where workflow_id = :workflowId and position in (
      select position from plan_update_step where workflow_id = :workflowId limit :limit)`),

  settings: db.prepare<{ id: number }, Record<string, ColumnValue>>('select * from workflow where id = :id'),
  writeSettings: db.prepare<Record<string, ColumnValue>>(`
    update workflow set
      name = coalesce(:name, name), spec_file = :spec_file,
      description = :description, project = :project, metadata = :metadata, env = :env,
      compute_node_wait_for_new_jobs_seconds = :compute_node_wait_for_new_jobs_seconds,
      compute_node_ignore_workflow_completion = :compute_node_ignore_workflow_completion,
      compute_node_wait_for_healthy_database_minutes = :compute_node_wait_for_healthy_database_minutes,
      resource_monitor_config = :resource_monitor_config, execution_config = :execution_config,
      slurm_defaults = :slurm_defaults, use_pending_failed = :use_pending_failed,
      enable_ro_crate = :enable_ro_crate, dynamic_jobs = :dynamic_jobs, limits = :limits
    where id = :id`),
  changeUserData: db.prepare<{ id: number; name: string; data: string | null; isEphemeral: number }>(
    'update user_data set name = :name, data = :data, is_ephemeral = :isEphemeral where id = :id',
  ),
  // A value that the file gives is no change that a reinitialization has to find.
  settleUserData: db.prepare<{ id: number }>('update user_data set initialized_data = data where id = :id'),
  rememberUserData: db.prepare<JobWindow>(`
    update user_data set initialized_data = data
    where ${OF_WINDOW} and data is not initialized_data
      and exists (select 1 from job_input_user_data reads where reads.user_data_id = user_data.id)
      and not exists (
        select 1
        from job_input_user_data reads
        cross join job on job.id = reads.job_id
        where reads.user_data_id = user_data.id and job.status not in ${anyOf(NOT_BEGUN)})`),
  changeHandler: db.prepare<{ id: number; name: string; rules: string }>(
    'update failure_handler set name = :name, rules = :rules where id = :id',
  ),
  removeAction: db.prepare<{ id: number; workflowId: number }>(
    'delete from workflow_action where id = :id and workflow_id = :workflowId',
  ),
  // Actions for jobs that run again are executed again.
  rearmActions: db.prepare<{ workflowId: number }>(`
    update workflow_action set executed = 0, executed_by = null
    where workflow_id = :workflowId and executed = 1 and case
      when trigger_type in ('on_jobs_ready', 'on_jobs_complete') then exists (
        select 1 from json_each(workflow_action.job_ids) named
        cross join job on job.id = named.value and job.status = ${STATUS.uninitialized})
      else trigger_type in ('on_workflow_complete', 'on_first_failure', 'on_stuck') end`),
  removeUnused: each(USES, (kind) =>
    db.prepare<{ id: number; workflowId: number }>(`
      delete from ${TABLES[kind]} where id = :id and workflow_id = :workflowId and not (${USES[kind]})`),
  ),

  changeJob: db.prepare<Record<string, ColumnValue>>(`
    update job set ${assigned([...definitionNames, ...referenceNames, 'class_id'])} where id = :id`),
  // It runs as a first attempt, under a number that no result of this run has, nor an attempt that a runner has: also one that it claimed ahead,
  // which the database would give another number without a refund, so that failure handlers counted an attempt that never was.
  runAgain: db.prepare<{ id: number; runId: number }>(`
    update job set
      status = ${STATUS.uninitialized},
      attempt_id = attempt_id + begun.is_begun,
      refunded_attempts = attempt_id + begun.is_begun - 1,
      removed_at_ms = null, start_time = null, compute_node_id = null, claimed_by = null
    from (
      select status not in ${anyOf(UNCLAIMED, 'disabled')} or claimed_by is not null
        or exists (
          select 1 from result
          where result.job_id = job.id and result.run_id = :runId and result.attempt_id = job.attempt_id) as is_begun
      from job
      where id = :id) begun
    where job.id = :id`),
  choose: db.prepare<{ id: number; choice: number }>('update job set choice = :choice where id = :id'),
  unrelate: eachRelation(({ table, other }) =>
    db.prepare<{ jobId: number; otherId: number }>(
      `delete from ${table} where job_id = :jobId and ${other} = :otherId`,
    ),
  ),
  uninitialized: db.prepare<JobWindow, { id: number }>(`
    select id from job where ${OF_WINDOW} and status = ${STATUS.uninitialized}`),
  // Jobs that the update does not name, such as those that a job has added.
  waitingFor: db.prepare<{ id: number; limit: number }, { id: number; status: number }>(`
    select job.id, job.status
    from job_depends_on edge
    cross join job on job.id = edge.job_id
    where edge.depends_on_job_id = :id
    limit :limit`),
  hasResults: db.prepare<{ id: number }, { id: number }>('select id from result where job_id = :id limit 1'),
  disable: db.prepare<{ id: number; atMs: number }>(`
    update job set status = ${STATUS.disabled}, removed_at_ms = :atMs, unmet = 0, upstream_failed = 0
    where id = :id`),
  removeJob: db.prepare<{ id: number }>('delete from job where id = :id'),

  block: db.prepare<JobWindow>(`
    update job set status = ${STATUS.blocked}, result_id = null
    where ${OF_WINDOW} and status = ${STATUS.uninitialized}
      and (unmet > 0 or (upstream_failed and cancel_on_blocking_job_failure))`),
  makeReady: db.prepare<JobWindow>(`
    update job set status = ${STATUS.ready}, result_id = null
    where ${OF_WINDOW} and status = ${STATUS.uninitialized}`),
});

export type UpdateQueries = ReturnType<typeof updateQueries>;
