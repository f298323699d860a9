import { definitionNames, type ReferenceName, referenceNames } from '../../../core/job/fields.ts';
import type { Database, NoParameters, ColumnValue } from '../../store/database.ts';
import type { ClassFields } from './class.ts';
import { eachRelation } from './relations/queries.ts';
import type { JobRow, StoredDefinition } from '../rows/job.ts';
import { STATUS, upstreamOfJob } from '../rows/status.ts';

export type JobToInsert = StoredDefinition & Pick<JobRow, ReferenceName | 'workflow_id'> & { class_id: number };

const insertedColumns = ['workflow_id', ...definitionNames, ...referenceNames, 'class_id'];

/** Sets columns to the parameters of their names. */
export const assigned = (columns: readonly string[]): string =>
  columns.map((column) => `${column} = :${column}`).join(', ');

/** The environment and the failure handler of a job stay as they were created. */
const changedColumns = [...definitionNames, ...referenceNames].filter(
  (name) => name !== 'env' && name !== 'failure_handler_id',
);

type Edge = { jobId: number; otherId: number; workflowId: number };

export const newJobQueries = (db: Database) => ({
  jobDefaults: db.prepare<{ workflowId: number }, { env: string | null; requirements_id: number | null }>(`
    select env, (
      select min(id) from resource_requirements where workflow_id = workflow.id and name = 'default'
    ) as requirements_id
    from workflow
    where id = :workflowId`),
  insertJobs: db.prepareInserts<JobToInsert>(`
    insert into job (${insertedColumns.join(', ')})
    values (${insertedColumns.map((column) => `:${column}`).join(', ')})`),
  lastJobId: db.prepare<NoParameters, { id: number }>("select seq as id from sqlite_sequence where name = 'job'"),
  has: eachRelation(({ of }) =>
    db.prepare<{ id: number; workflowId: number }, { id: number }>(
      `select id from ${of} where id = :id and workflow_id = :workflowId`,
    ),
  ),
  // To records of the same workflow, which was checked before.
  insertEdges: eachRelation(({ table, other }) =>
    db.prepareInserts<Edge>(`
      insert or ignore into ${table} (job_id, ${other}, workflow_id) values (:jobId, :otherId, :workflowId)`),
  ),
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
  related: eachRelation(({ table, other }) =>
    db.prepare<{ id: number }, { id: number }>(`select ${other} as id from ${table} where job_id = :id order by 1`),
  ),
  clearDependsOn: db.prepare<{ id: number }>('delete from job_depends_on where job_id = :id'),
  dependOn: db.prepare<{ id: number; otherId: number; workflowId: number }>(`
    insert into job_depends_on (job_id, depends_on_job_id, workflow_id)
    select :id, id, workflow_id from job where id = :otherId and workflow_id = :workflowId`),
  updateJob: db.prepare<Record<string, ColumnValue>>(`
    update job set ${assigned([...changedColumns, 'status', 'class_id'])} where id = :id`),
  isUpstreamOfItself: db.prepare<{ id: number }, { id: number }>(`
    with recursive upstream (id) as (
      select depends_on_job_id from job_depends_on where job_id = :id
      union
      select edge.depends_on_job_id from job_depends_on edge join upstream on edge.job_id = upstream.id
    )
    select id from upstream where id = :id`),
});

export const bindJobsQueries = (db: Database) => ({
  bound: db.prepare<{ id: number }, { workflow_id: number; resource_requirements_id: number } & ClassFields>(
    'select workflow_id, scheduler_id, resource_requirements_id, labels, licenses from job where id = :id',
  ),
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
