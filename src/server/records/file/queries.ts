import type { File, RoCrateEntity, UserData } from '../../../core/contract/artifact.ts';
import { fileOf, type FileRow, userDataColumns, userDataOf, type UserDataRow } from './row.ts';
import type { Database, Value } from '../../store/database.ts';
import { contains, createListing } from '../../store/listing.ts';
import { present } from '../present.ts';
import { whole } from '../records.ts';

interface FileFilters {
  workflow_id?: number | undefined;
  produced_by_job_id?: number | undefined;
  name?: string | undefined;
  path?: string | undefined;
  is_output?: boolean | undefined;
}

interface UserDataFilters {
  workflow_id?: number | undefined;
  consumer_job_id?: number | undefined;
  producer_job_id?: number | undefined;
  name?: string | undefined;
  is_ephemeral?: boolean | undefined;
}

interface EntityRow {
  id: number;
  workflow_id: number;
  file_id: number | null;
  entity_id: string;
  entity_type: string;
  metadata: string;
}

const entityOf = ({ metadata, ...row }: EntityRow): RoCrateEntity => ({
  ...present(row),
  metadata: JSON.parse(metadata) as RoCrateEntity['metadata'],
});

export const artifactQueries = (db: Database) => ({
  entities: whole(db, 'ro_crate_entity', entityOf),
  insertEntity: db.prepare<Record<string, Value>>(`
    insert into ro_crate_entity (workflow_id, file_id, entity_id, entity_type, metadata)
    values (:workflow_id, :file_id, :entity_id, :entity_type, :metadata)`),
  updateEntity: db.prepare<Record<string, Value>>(`
    update ro_crate_entity set file_id = :file_id, entity_id = :entity_id, entity_type = :entity_type, metadata = :metadata
    where id = :id`),
  // Another entity with the same name, or the same file.
  sameEntity: db.prepare<Record<string, Value>, { entity_id: string }>(`
    select entity_id
    from ro_crate_entity
    where workflow_id = :workflow_id and id <> :id and (entity_id = :entity_id or file_id = :file_id)`),
  fileOfWorkflow: db.prepare<{ id: number; workflowId: number }, { id: number }>(
    'select id from file where id = :id and workflow_id = :workflowId',
  ),
  listEntities: createListing<
    { workflow_id?: number | undefined; file_id?: number | undefined; entity_id?: string | undefined },
    EntityRow,
    RoCrateEntity
  >(
    db,
    {
      columns: 'ro_crate_entity.*',
      from: 'ro_crate_entity',
      filters: {
        workflow_id: 'workflow_id = :workflow_id',
        file_id: 'file_id = :file_id',
        entity_id: 'entity_id = :entity_id',
      },
      sortable: { entity_id: 'entity_id', entity_type: 'entity_type', file_id: 'file_id' },
      idColumn: 'id',
    },
    entityOf,
  ),

  insertFile: db.prepare<{ workflowId: number; name: string; path: string; mtime: number | null }>(
    'insert into file (workflow_id, name, path, st_mtime) values (:workflowId, :name, :path, :mtime)',
  ),
  getFile: db.prepare<{ id: number }, FileRow>('select * from file where id = :id'),
  updateFile: db.prepare<{ id: number; name: string | null; path: string | null; mtime: number | null }>(`
    update file set name = coalesce(:name, name), path = coalesce(:path, path), st_mtime = :mtime
    where id = :id`),
  listFiles: createListing<FileFilters, FileRow, File>(
    db,
    {
      columns: 'file.id, file.workflow_id, file.name, file.path, file.st_mtime',
      from: 'file',
      filters: {
        workflow_id: 'file.workflow_id = :workflow_id',
        produced_by_job_id: `file.id in (select file_id from job_output_file where job_id = :produced_by_job_id)`,
        name: 'file.name = :name',
        path: contains('file.path', 'path'),
        is_output: (asked) =>
          asked ? 'exists (select 1 from job_output_file o where o.file_id = file.id)' : undefined,
      },
      sortable: {
        id: 'file.id',
        name: 'file.name',
        path: 'file.path',
        st_mtime: 'file.st_mtime',
        workflow_id: 'file.workflow_id',
      },
      idColumn: 'file.id',
    },
    fileOf,
  ),
  requiredFiles: db.prepare<{ workflowId: number }, { id: number }>(`
    select id from file
    where workflow_id = :workflowId
      and ((
          exists (select 1 from job_input_file i where i.file_id = file.id)
          and not exists (select 1 from job_output_file o where o.file_id = file.id)
        )
        or exists (
          select 1 from job_output_file o join job on job.id = o.job_id
          where o.file_id = file.id and job.status = 5
        ))
    order by id`),

  insertUserData: db.prepare<{ workflowId: number; name: string; data: string | null; isEphemeral: number }>(
    'insert into user_data (workflow_id, name, data, is_ephemeral) values (:workflowId, :name, :data, :isEphemeral)',
  ),
  getUserData: db.prepare<{ id: number }, UserDataRow>(`select ${userDataColumns} from user_data where id = :id`),
  updateUserData: db.prepare<{ id: number; name: string | null; data: string | null; isEphemeral: number | null }>(`
    update user_data set
      name = coalesce(:name, name), data = coalesce(:data, data), is_ephemeral = coalesce(:isEphemeral, is_ephemeral)
    where id = :id`),
  clearUserData: db.prepare<{ id: number }>('update user_data set data = null where id = :id'),
  listUserData: createListing<UserDataFilters, UserDataRow, UserData>(
    db,
    {
      columns: userDataColumns,
      from: 'user_data',
      filters: {
        workflow_id: 'user_data.workflow_id = :workflow_id',
        consumer_job_id:
          'user_data.id in (select user_data_id from job_input_user_data where job_id = :consumer_job_id)',
        producer_job_id:
          'user_data.id in (select user_data_id from job_output_user_data where job_id = :producer_job_id)',
        name: contains('user_data.name', 'name'),
        is_ephemeral: 'user_data.is_ephemeral = :is_ephemeral',
      },
      sortable: {
        id: 'user_data.id',
        name: 'user_data.name',
        data: 'user_data.data',
        is_ephemeral: 'user_data.is_ephemeral',
        workflow_id: 'user_data.workflow_id',
      },
      idColumn: 'user_data.id',
    },
    userDataOf,
  ),
  missingUserData: db.prepare<{ workflowId: number }, { id: number }>(`
    select id from user_data
    where workflow_id = :workflowId
      and data is null
      and ((
          exists (select 1 from job_input_user_data i where i.user_data_id = user_data.id)
          and not exists (select 1 from job_output_user_data o where o.user_data_id = user_data.id)
        )
        or exists (
          select 1 from job_output_user_data o join job on job.id = o.job_id
          where o.user_data_id = user_data.id and job.status = 5
        ))
    order by id`),
  linkConsumer: db.prepare<{ jobId: number; userDataId: number; workflowId: number }>(`
    insert into job_input_user_data (job_id, user_data_id, workflow_id)
    select id, :userDataId, workflow_id from job where id = :jobId and workflow_id = :workflowId`),
  linkProducer: db.prepare<{ jobId: number; userDataId: number; workflowId: number }>(`
    insert into job_output_user_data (job_id, user_data_id, workflow_id)
    select id, :userDataId, workflow_id from job where id = :jobId and workflow_id = :workflowId`),
});

export type ArtifactQueries = ReturnType<typeof artifactQueries>;
