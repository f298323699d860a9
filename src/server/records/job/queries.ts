import type { Database, NoParameters, Value } from '../../store/database.ts';
import { STATUS, upstreamOfJob } from './status.ts';

export interface JobToInsert extends Record<string, Value> {
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

export const newJobQueries = (db: Database) => ({
  jobDefaults: db.prepare<{ workflowId: number }, { env: string | null; requirements_id: number | null }>(`
    select env, (
      select min(id) from resource_requirements where workflow_id = workflow.id and name = 'default'
    ) as requirements_id
    from workflow
    where id = :workflowId`),
  insertJobs: db.prepareInserts<JobToInsert>(`
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
});

export type NewJobQueries = ReturnType<typeof newJobQueries>;

export const changeJobQueries = (db: Database) => ({
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
  isUpstreamOfItself: db.prepare<{ id: number }, { id: number }>(`
    with recursive upstream (id) as (
      select depends_on_job_id from job_depends_on where job_id = :id
      union
      select edge.depends_on_job_id from job_depends_on edge join upstream on edge.job_id = upstream.id
    )
    select id from upstream where id = :id`),
});

export const bindJobsQueries = (db: Database) => ({
  bound: db.prepare<
    { id: number },
    { workflow_id: number; scheduler_id: number | null; resource_requirements_id: number; labels: string | null }
  >('select workflow_id, scheduler_id, resource_requirements_id, labels from job where id = :id'),
  bind: db.prepare<{ id: number; schedulerId: number; classId: number }>(
    'update job set scheduler_id = :schedulerId, class_id = :classId where id = :id',
  ),
});

export type BindJobsQueries = ReturnType<typeof bindJobsQueries>;

export type ChangeJobQueries = ReturnType<typeof changeJobQueries>;

export const spawnQueries = (db: Database) => ({
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
    update job set status = ${STATUS.blocked}, origin = 'spawn', (unmet, upstream_failed) = (${upstreamOfJob})
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
});

export type SpawnQueries = ReturnType<typeof spawnQueries>;
