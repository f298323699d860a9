import type { Database, Value } from '../store/database.ts';
import { upstreamOfJob } from '../store/upstream.ts';

export interface NewJob extends Record<string, Value> {
  workflowId: number;
  name: string;
  command: string;
  invocationScript: string | null;
  env: string | null;
  cancelOnBlockingJobFailure: number;
  supportsTermination: number | null;
  resourceRequirementsId: number;
  schedulerId: number | null;
  failureHandlerId: number | null;
  priority: number;
  labels: string | null;
  classId: number;
}

type Edge = { jobId: number; otherId: number; workflowId: number };

/** An edge to a record of the same workflow: where there is no such record nothing is inserted. */
const edge = (db: Database, table: string, column: string, other: string) =>
  db.prepare<Edge>(`
    insert or ignore into ${table} (job_id, ${column}, workflow_id)
    select :jobId, id, workflow_id
    from ${other}
    where id = :otherId and workflow_id = :workflowId`);

interface TaskRow {
  id: number;
  workflow_id: number;
  operation: string;
  status: string;
  parameters: string;
  created_at_ms: number;
  started_at_ms: number | null;
  finished_at_ms: number | null;
  error: string | null;
}

export const submitQueries = (db: Database) => ({
  insertWorkflow: db.prepare<Record<string, Value>>(`
    insert into workflow (
      name, user, description, timestamp, project, metadata, env,
      compute_node_expiration_buffer_seconds, compute_node_wait_for_new_jobs_seconds,
      compute_node_ignore_workflow_completion, compute_node_wait_for_healthy_database_minutes,
      compute_node_min_time_for_new_jobs_seconds, resource_monitor_config, execution_config, slurm_defaults,
      use_pending_failed, enable_ro_crate, dynamic_jobs, submission_directory
    ) values (
      :name, :user, :description, :timestamp, :project, :metadata, :env,
      :compute_node_expiration_buffer_seconds, :compute_node_wait_for_new_jobs_seconds,
      :compute_node_ignore_workflow_completion, :compute_node_wait_for_healthy_database_minutes,
      :compute_node_min_time_for_new_jobs_seconds, :resource_monitor_config, :execution_config, :slurm_defaults,
      :use_pending_failed, :enable_ro_crate, :dynamic_jobs, :submission_directory
    )`),

  updateWorkflow: db.prepare<Record<string, Value>>(`
    update workflow set
      name = coalesce(:name, name),
      user = coalesce(:user, user),
      description = coalesce(:description, description),
      project = coalesce(:project, project),
      metadata = coalesce(:metadata, metadata),
      compute_node_expiration_buffer_seconds =
        coalesce(:compute_node_expiration_buffer_seconds, compute_node_expiration_buffer_seconds),
      compute_node_wait_for_new_jobs_seconds =
        coalesce(:compute_node_wait_for_new_jobs_seconds, compute_node_wait_for_new_jobs_seconds),
      compute_node_ignore_workflow_completion =
        coalesce(:compute_node_ignore_workflow_completion, compute_node_ignore_workflow_completion),
      compute_node_wait_for_healthy_database_minutes =
        coalesce(:compute_node_wait_for_healthy_database_minutes, compute_node_wait_for_healthy_database_minutes),
      execution_config = coalesce(:execution_config, execution_config),
      use_pending_failed = coalesce(:use_pending_failed, use_pending_failed),
      enable_ro_crate = coalesce(:enable_ro_crate, enable_ro_crate)
    where id = :id`),

  groupNamed: db.prepare<{ name: string }, { id: number }>('select id from access_group where name = :name'),
  shareWith: db.prepare<{ workflowId: number; groupId: number; at: string }>(
    'insert into workflow_access_group (workflow_id, group_id, created_at) values (:workflowId, :groupId, :at)',
  ),

  insertTask: db.prepare<{ workflowId: number; operation: string; parameters: string; atMs: number }>(`
    insert into async_handle (workflow_id, operation, status, parameters, created_at_ms)
    values (:workflowId, :operation, 'queued', :parameters, :atMs)`),
  task: db.prepare<{ id: number }, TaskRow>('select * from async_handle where id = :id'),
  activeTask: db.prepare<{ workflowId: number }, { id: number; parameters: string }>(
    "select id, parameters from async_handle where workflow_id = :workflowId and status in ('queued', 'running')",
  ),
  startTask: db.prepare<{ id: number; atMs: number }>(
    "update async_handle set status = 'running', started_at_ms = :atMs where id = :id",
  ),
  finishTask: db.prepare<{ id: number; status: string; atMs: number; error: string | null }>(
    'update async_handle set status = :status, finished_at_ms = :atMs, error = :error where id = :id',
  ),
  failOpenTasks: db.prepare<{ atMs: number; error: string }>(`
    update async_handle set status = 'failed', finished_at_ms = :atMs, error = :error where status in ('queued', 'running')`),

  deleteWorkflow: db.prepare<{ id: number }>('delete from workflow where id = :id'),

  archiveWorkflow: db.prepare<{ id: number; isArchived: number }>(
    'update workflow set is_archived = :isArchived where id = :id',
  ),

  insertRequirements: db.prepare<{
    workflowId: number;
    name: string;
    numCpus: number;
    numGpus: number;
    numNodes: number;
    memory: string;
    runtime: string;
    memoryBytes: number;
    runtimeSeconds: number;
  }>(`
    insert into resource_requirements (
      workflow_id, name, num_cpus, num_gpus, num_nodes, memory, runtime, memory_bytes, runtime_s
    ) values (
      :workflowId, :name, :numCpus, :numGpus, :numNodes, :memory, :runtime, :memoryBytes, :runtimeSeconds
    )`),

  jobDefaults: db.prepare<{ workflowId: number }, { env: string | null; requirements_id: number | null }>(`
    select env, (
      select min(id) from resource_requirements where workflow_id = workflow.id and name = 'default'
    ) as requirements_id
    from workflow
    where id = :workflowId`),

  insertJobs: db.prepareInserts<NewJob>(`
    insert into job (
      workflow_id, name, command, invocation_script, env, cancel_on_blocking_job_failure, supports_termination,
      resource_requirements_id, scheduler_id, failure_handler_id, priority, labels, class_id
    ) values (
      :workflowId, :name, :command, :invocationScript, :env, :cancelOnBlockingJobFailure, :supportsTermination,
      :resourceRequirementsId, :schedulerId, :failureHandlerId, :priority, :labels, :classId
    )`),

  dependOn: edge(db, 'job_depends_on', 'depends_on_job_id', 'job'),
  readFile: edge(db, 'job_input_file', 'file_id', 'file'),
  writeFile: edge(db, 'job_output_file', 'file_id', 'file'),
  readUserData: edge(db, 'job_input_user_data', 'user_data_id', 'user_data'),
  writeUserData: edge(db, 'job_output_user_data', 'user_data_id', 'user_data'),

  // Jobs that a running job adds.
  jobsNamed: db.prepare<{ workflowId: number; names: string }, { id: number; name: string }>(`
    select id, name
    from job
    where workflow_id = :workflowId and name in (select value from json_each(:names))`),
  isHeld: db.prepare<{ id: number }, { id: number }>('select id from job where id = :id and claimed_by is not null'),
  requirementsNamed: db.prepare<{ workflowId: number; name: string }, { id: number }>(
    'select id from resource_requirements where workflow_id = :workflowId and name = :name order by id limit 1',
  ),
  blockSpawned: db.prepare<{ id: number }>(`
    update job set status = 1, origin = 'spawn', (unmet, upstream_failed) = (${upstreamOfJob})
    where id = :id`),
  generation: db.prepare<{ workflowId: number; prefix: string }, { number: number | null }>(`
    select max(cast(substr(name, length(:prefix) + 1) as integer)) as number
    from user_data
    where workflow_id = :workflowId and substr(name, 1, length(:prefix)) = :prefix`),
  writeState: db.prepare<{ workflowId: number; name: string; data: string }>(
    'insert into user_data (workflow_id, name, data, is_ephemeral) values (:workflowId, :name, :data, 1)',
  ),
  dropState: db.prepare<{ workflowId: number; name: string }>(
    'delete from user_data where workflow_id = :workflowId and name = :name',
  ),

  // Initialisation, step by step as initialize.ts tells it.
  implyByFiles: db.prepare<{ workflowId: number }>(`
    insert or ignore into job_depends_on (job_id, depends_on_job_id, workflow_id)
    select reads.job_id, writes.job_id, reads.workflow_id
    from job_input_file reads
    join job_output_file writes on writes.file_id = reads.file_id
    join job on job.id = reads.job_id
    where job.workflow_id = :workflowId and reads.job_id <> writes.job_id`),
  implyByUserData: db.prepare<{ workflowId: number }>(`
    insert or ignore into job_depends_on (job_id, depends_on_job_id, workflow_id)
    select reads.job_id, writes.job_id, reads.workflow_id
    from job_input_user_data reads
    join job_output_user_data writes on writes.user_data_id = reads.user_data_id
    join job on job.id = reads.job_id
    where job.workflow_id = :workflowId and reads.job_id <> writes.job_id`),
  // Nothing is found where jobs were made in the order of what they wait for, as nearly always.
  backwardEdge: db.prepare<{ workflowId: number }, { job_id: number }>(`
    select edge.job_id
    from job
    join job_depends_on edge on edge.job_id = job.id
    where job.workflow_id = :workflowId and edge.depends_on_job_id > edge.job_id
    limit 1`),
  edges: db.prepare<{ workflowId: number }, { job_id: number; other_id: number }>(`
    select edge.job_id, edge.depends_on_job_id as other_id
    from job
    join job_depends_on edge on edge.job_id = job.id
    where job.workflow_id = :workflowId`),
  jobName: db.prepare<{ id: number }, { name: string }>('select name from job where id = :id'),
  spreadDownstream: db.prepare<{ workflowId: number }>(`
    with recursive downstream (id) as (
      select id from job where workflow_id = :workflowId and status = 0
      union
      select edge.job_id from job_depends_on edge join downstream on edge.depends_on_job_id = downstream.id
    )
    update job set status = 0
    where id in (select id from downstream) and status <> 0`),
  // What a job still waits for. Disabled jobs stay out of it: they neither wait nor run.
  countUnmet: db.prepare<{ workflowId: number }>(`
    update job set (unmet, upstream_failed) = (${upstreamOfJob})
    where workflow_id = :workflowId and status not in (5, 6, 7, 9)`),
  block: db.prepare<{ workflowId: number; onlyUninitialized: number }>(`
    update job set status = 1, start_time = null, compute_node_id = null, claimed_by = null
    where workflow_id = :workflowId
      and unmet > 0
      and status not in (1, 5, 6, 7, 9)
      and (status = 0 or :onlyUninitialized = 0)`),
  makeReady: db.prepare<{ workflowId: number }>(`
    update job set status = 2, start_time = null, compute_node_id = null, claimed_by = null
    where workflow_id = :workflowId
      and (status not in (1, 2, 5, 6, 7, 9)
        or (status = 1 and unmet = 0 and not (upstream_failed and cancel_on_blocking_job_failure)))`),
  // Blocked by something that ended badly before: nothing will come any more to cancel them.
  cancelDoomed: db.prepare<{ workflowId: number }>(`
    update job set status = 7
    where workflow_id = :workflowId
      and status = 1 and unmet = 0 and upstream_failed and cancel_on_blocking_job_failure`),
  dropResults: db.prepare<{ workflowId: number }>(`
    update job set result_id = null
    where workflow_id = :workflowId and result_id is not null and status not in (5, 6, 7, 8)`),
  rememberUserData: db.prepare<{ workflowId: number }>(`
    update user_data set initialized_data = data
    where workflow_id = :workflowId and data is not initialized_data`),
  crateFiles: db.prepare<
    { workflowId: number },
    { id: number; path: string; st_mtime: number; entity_id: string | null }
  >(`
    select file.id, file.path, file.st_mtime, entity.entity_id
    from file
    left join ro_crate_entity entity on entity.workflow_id = file.workflow_id and entity.file_id = file.id
    where file.workflow_id = :workflowId and file.st_mtime is not null
    order by file.id`),
  // One that stands for the file already says what it said, and when the file changed.
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
  // Actions, made ready for another round.
  dropRecoveryActions: db.prepare<{ workflowId: number }>(
    'delete from workflow_action where workflow_id = :workflowId and is_recovery = 1',
  ),
  countTriggers: db.prepare<{ workflowId: number }>(`
    update workflow_action set trigger_count = case trigger_type
      when 'on_workflow_start' then 1
      when 'on_worker_start' then required_triggers
      when 'on_worker_complete' then required_triggers
      else 0 end
    where workflow_id = :workflowId`),
  // What was done for a start, or for jobs that are complete and stay so, is not done again.
  rearmActions: db.prepare<{ workflowId: number; onlyUninitialized: number }>(`
    update workflow_action set executed = 0, executed_by = null
    where workflow_id = :workflowId and executed = 1 and (:onlyUninitialized = 0 or case
      when trigger_type = 'on_workflow_start' then 0
      when trigger_type in ('on_jobs_ready', 'on_jobs_complete') then exists (
        select 1 from json_each(workflow_action.job_ids) named
        cross join job on job.id = named.value and job.status not in (5, 6, 7, 8))
      else 1 end)`),
  terminatedCount: db.prepare<{ workflowId: number }, { jobs: number }>(
    'select jobs from job_count where workflow_id = :workflowId and status = 8',
  ),
  readyCount: db.prepare<{ workflowId: number }, { jobs: number }>(
    'select jobs from job_count where workflow_id = :workflowId and status = 2',
  ),

  insertScheduler: db.prepare<Record<string, Value>>(`
    insert into slurm_scheduler (
      workflow_id, name, account, nodes, walltime, gres, mem, ntasks_per_node, partition, qos, tmp, extra,
      serialize_allocations
    ) values (
      :workflow_id, :name, :account, :nodes, :walltime, :gres, :mem, :ntasks_per_node, :partition, :qos, :tmp, :extra,
      :serialize_allocations
    )`),
  insertHandler: db.prepare<{ workflowId: number; name: string; rules: string }>(
    'insert into failure_handler (workflow_id, name, rules) values (:workflowId, :name, :rules)',
  ),
  jobOf: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from job where id = :id and workflow_id = :workflowId',
  ),
  insertAction: db.prepare<Record<string, Value>>(`
    insert into workflow_action (
      workflow_id, trigger_type, action_type, action_config, job_ids, trigger_count, required_triggers, executed,
      persistent, is_recovery
    ) values (
      :workflowId, :triggerType, :actionType, :actionConfig, :jobIds, :triggerCount, :requiredTriggers, :executed,
      :persistent, :isRecovery
    )`),
});

export type SubmitQueries = ReturnType<typeof submitQueries>;
