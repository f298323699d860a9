import type { Database, NoParameters, Value } from '../store/database.ts';
import { upstreamOfJob } from '../records/job/upstream.ts';

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

/** Edges to records of the same workflow, which was checked before. */
const edges = (db: Database, table: string, column: string) =>
  db.prepareInserts<Edge>(`
    insert or ignore into ${table} (job_id, ${column}, workflow_id) values (:jobId, :otherId, :workflowId)`);

/** Whether the workflow has this record. */
const has = (db: Database, table: string) =>
  db.prepare<{ id: number; workflowId: number }, { id: number }>(
    `select id from ${table} where id = :id and workflow_id = :workflowId`,
  );

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
  // Unfinished work of tasks that had begun is continued by this server.
  failOpenTasks: db.prepare<{ atMs: number; error: string }>(`
    update async_handle set status = 'failed', finished_at_ms = :atMs, error = :error
    where status in ('queued', 'running')
      and workflow_id not in (select workflow_id from workflow_work where kind = 'initialize_jobs')`),

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

  lastJobId: db.prepare<NoParameters, { id: number }>("select seq as id from sqlite_sequence where name = 'job'"),
  has: {
    depends_on_job_ids: has(db, 'job'),
    input_file_ids: has(db, 'file'),
    output_file_ids: has(db, 'file'),
    input_user_data_ids: has(db, 'user_data'),
    output_user_data_ids: has(db, 'user_data'),
  },
  insertEdges: {
    depends_on_job_ids: edges(db, 'job_depends_on', 'depends_on_job_id'),
    input_file_ids: edges(db, 'job_input_file', 'file_id'),
    output_file_ids: edges(db, 'job_output_file', 'file_id'),
    input_user_data_ids: edges(db, 'job_input_user_data', 'user_data_id'),
    output_user_data_ids: edges(db, 'job_output_user_data', 'user_data_id'),
  },
  // Jobs of a request whose server was killed.
  jobsFrom: db.prepare<{ workflowId: number; firstId: number; after: number; limit: number }, { id: number }>(`
    select id from job
    where workflow_id = :workflowId and id >= :firstId and id > :after
    order by id
    limit :limit`),
  removeJobs: db.prepare<{ workflowId: number; firstId: number; limit: number }>(`
    delete from job
    where id in (select id from job where workflow_id = :workflowId and id >= :firstId limit :limit)`),

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
