import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { UserData } from '../../../core/contract/artifact.ts';
import type { Database } from '../../store/database.ts';
import { contains, createListing, sortable } from '../../store/listing.ts';
import type { RowOf } from '../present.ts';
import { records } from '../records.ts';
import { STATUS } from '../rows/status.ts';

interface UserDataFilters {
  workflow_id?: number | undefined;
  consumer_job_id?: number | undefined;
  producer_job_id?: number | undefined;
  name?: string | undefined;
  is_ephemeral?: boolean | undefined;
}

export const userDataQueries = (db: Database) => ({
  userData: records(db, 'user_data', userDataColumns, 'user_data', userDataOf),
  insertUserData: db.prepare<{ workflowId: number; name: string; data: string | null; isEphemeral: number }>(
    'insert into user_data (workflow_id, name, data, is_ephemeral) values (:workflowId, :name, :data, :isEphemeral)',
  ),
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
      sortable: sortable('user_data', sortFields.user_data),
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
          where o.user_data_id = user_data.id and job.status = ${STATUS.completed}
        ))
    order by id`),
  linkConsumer: db.prepare<{ jobId: number; userDataId: number; workflowId: number }>(`
    insert into job_input_user_data (job_id, user_data_id, workflow_id)
    select id, :userDataId, workflow_id from job where id = :jobId and workflow_id = :workflowId`),
  linkProducer: db.prepare<{ jobId: number; userDataId: number; workflowId: number }>(`
    insert into job_output_user_data (job_id, user_data_id, workflow_id)
    select id, :userDataId, workflow_id from job where id = :jobId and workflow_id = :workflowId`),
});

export type UserDataQueries = ReturnType<typeof userDataQueries>;

type UserDataRow = Omit<RowOf<UserData>, 'data' | 'is_ephemeral'> & { data: string | null; is_ephemeral: number };

const userDataOf = ({ data, is_ephemeral: ephemeral, ...row }: UserDataRow): UserData => ({
  ...row,
  data: data === null ? undefined : JSON.parse(data),
  is_ephemeral: ephemeral === 1,
});

const userDataColumns = 'user_data.id, user_data.workflow_id, user_data.name, user_data.data, user_data.is_ephemeral';
