import { fileOf, type FileRow, userDataColumns, userDataOf, type UserDataRow } from '../file/row.ts';
import type { Database, Value } from '../../store/database.ts';
import { eventOf } from '../event/row.ts';
import { unsettled } from './row.ts';
import { computeNodeOf, type ComputeNodeRow, schedulerOf, type SlurmSchedulerRow } from '../node/row.ts';
import { records, whole } from '../records.ts';
import { requirementsColumns, type RequirementsRow } from '../requirements/row.ts';
import { resultColumns, resultOf, type ResultRow, resultTables } from '../result/row.ts';
import type { FailureHandler } from '../../../core/contract/scheduling.ts';

export const reviseQueries = (db: Database) => ({
  files: whole(db, 'file', (row: FileRow) => fileOf(row)),
  userData: records(db, 'user_data', userDataColumns, 'user_data', (row: UserDataRow) => userDataOf(row)),
  requirements: records(
    db,
    'resource_requirements',
    requirementsColumns.join(', '),
    'resource_requirements',
    (row: RequirementsRow) => row,
  ),
  results: records(db, 'result', resultColumns, resultTables, (row: ResultRow) => resultOf(row)),
  events: whole(db, 'event', (row: Parameters<typeof eventOf>[0]) => eventOf(row)),
  nodes: whole(db, 'compute_node', (row: ComputeNodeRow) => computeNodeOf(row)),
  schedulers: whole(db, 'slurm_scheduler', (row: SlurmSchedulerRow) => schedulerOf(row)),
  handlers: whole(db, 'failure_handler', (row: FailureHandler) => row),

  // Records that prevent a removal.
  jobsWithRequirements: db.prepare<{ id: number; workflowId: number }, { jobs: number }>(`
    select count(*) as jobs
    from job
    where class_id in (
      select id from job_class where workflow_id = :workflowId and (resource_requirements_id = :id or :id = 0)
    )`),
  jobsHeldBy: db.prepare<{ id: number; workflowId: number }, { jobs: number }>(`
    select (
      select count(*) from job
      where workflow_id = :workflowId
        and job.status in (3, 4) and ${unsettled}
        and (claimed_by = :id or (:id = 0 and claimed_by is not null))
    ) + (
      select count(*) from job
      where job.status = 1 and claimed_by is not null and workflow_id = :workflowId and (claimed_by = :id or :id = 0)
    ) + (
      select count(*) from held_attempt
      where workflow_id = :workflowId and (compute_node_id = :id or :id = 0)
    ) as jobs`),

  dependsOn: db.prepare<{ id: number }, { id: number }>(
    'select depends_on_job_id as id from job_depends_on where job_id = :id order by 1',
  ),
  input_file_ids: db.prepare<{ id: number }, { id: number }>(
    'select file_id as id from job_input_file where job_id = :id',
  ),
  output_file_ids: db.prepare<{ id: number }, { id: number }>(
    'select file_id as id from job_output_file where job_id = :id',
  ),
  input_user_data_ids: db.prepare<{ id: number }, { id: number }>(
    'select user_data_id as id from job_input_user_data where job_id = :id',
  ),
  output_user_data_ids: db.prepare<{ id: number }, { id: number }>(
    'select user_data_id as id from job_output_user_data where job_id = :id',
  ),
  clearDependsOn: db.prepare<{ id: number }>('delete from job_depends_on where job_id = :id'),
  dependOn: db.prepare<{ id: number; otherId: number; workflowId: number }>(`
    insert into job_depends_on (job_id, depends_on_job_id, workflow_id)
    select :id, id, workflow_id from job where id = :otherId and workflow_id = :workflowId`),
  updateJob: db.prepare<Record<string, Value>>(`
    update job set
      name = :name, command = :command, status = :status, scheduler_id = :schedulerId,
      resource_requirements_id = :requirementsId, class_id = :classId, priority = :priority, labels = :labels,
      invocation_script = :invocationScript, cancel_on_blocking_job_failure = :cancels,
      supports_termination = :supportsTermination
    where id = :id`),

  updateRequirements: db.prepare<Record<string, Value>>(`
    update resource_requirements set
      name = :name, num_cpus = :numCpus, num_gpus = :numGpus, num_nodes = :numNodes, memory = :memory,
      runtime = :runtime, memory_bytes = :memoryBytes, runtime_s = :runtimeSeconds
    where id = :id`),
  updateEvent: db.prepare<{ id: number; data: string }>('update event set data = :data where id = :id'),
  insertResult: db.prepare<Record<string, Value>>(`
    insert into result (
      job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status,
      peak_memory_bytes, avg_memory_bytes, peak_cpu_percent, avg_cpu_percent
    ) values (
      :job_id, :workflow_id, :run_id, :attempt_id, :compute_node_id, :return_code, :exec_time_minutes,
      :completion_time, :status, :peak_memory_bytes, :avg_memory_bytes, :peak_cpu_percent, :avg_cpu_percent
    )`),
  makeCurrent: db.prepare<{ jobId: number; id: number }>('update job set result_id = :id where id = :jobId'),
  countTimeAgain: db.prepare<{ workflowId: number }>(`
    insert into workflow_time (workflow_id, minutes, is_stale) values (:workflowId, 0, 1)
    on conflict (workflow_id) do update set is_stale = 1 where is_stale = 0`),
  updateResult: db.prepare<Record<string, Value>>(`
    update result set
      return_code = :return_code, exec_time_minutes = :exec_time_minutes, completion_time = :completion_time,
      status = :status, peak_memory_bytes = :peak_memory_bytes, avg_memory_bytes = :avg_memory_bytes,
      peak_cpu_percent = :peak_cpu_percent, avg_cpu_percent = :avg_cpu_percent
    where id = :id`),
  sameAttempt: db.prepare<{ jobId: number; runId: number; attemptId: number }, { id: number }>(
    'select id from result where job_id = :jobId and run_id = :runId and attempt_id = :attemptId',
  ),
  nodeOf: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from compute_node where id = :id and workflow_id = :workflowId',
  ),
  isUpstreamOfItself: db.prepare<{ id: number }, { id: number }>(`
    with recursive upstream (id) as (
      select depends_on_job_id from job_depends_on where job_id = :id
      union
      select edge.depends_on_job_id from job_depends_on edge join upstream on edge.job_id = upstream.id
    )
    select id from upstream where id = :id`),
  forgetResult: db.prepare<{ jobId: number; id: number }>(
    'update job set result_id = null where id = :jobId and result_id = :id',
  ),
  updateScheduler: db.prepare<Record<string, Value>>(`
    update slurm_scheduler set
      name = :name, account = :account, nodes = :nodes, walltime = :walltime, gres = :gres, mem = :mem,
      ntasks_per_node = :ntasks_per_node, partition = :partition, qos = :qos, tmp = :tmp, extra = :extra,
      serialize_allocations = :serialize_allocations
    where id = :id`),
});

export type ReviseQueries = ReturnType<typeof reviseQueries>;
