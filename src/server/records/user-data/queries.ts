import { sortFields } from '../../../core/contract/sort-fields.ts';
import type { UserData } from '../../../core/contract/artifact.ts';
import type { Input } from '../../../core/contract/routes.ts';
import type { Database } from '../../store/database.ts';
import type { RowOf } from '../present.ts';
import { recordTable } from '../records.ts';
import { STATUS } from '../rows/status.ts';

export const userDataQueries = (db: Database) => ({
  userData: recordTable<Input<'listUserData'>['query'], UserDataRow, UserData>(
    db,
    {
      table: 'user_data',
      columns: 'id, workflow_id, name, data, is_ephemeral',
      filters: {
        workflow_id: 'equal',
        consumer_job_id:
          'user_data.id in (select user_data_id from job_input_user_data where job_id = :consumer_job_id)',
        producer_job_id:
          'user_data.id in (select user_data_id from job_output_user_data where job_id = :producer_job_id)',
        name: 'contains',
        is_ephemeral: 'equal',
      },
      sortable: sortFields.user_data,
    },
    userDataOf,
  ),
  insertUserData: db.prepare<{ workflowId: number; name: string; data: string | null; isEphemeral: number }>(
    'insert into user_data (workflow_id, name, data, is_ephemeral) values (:workflowId, :name, :data, :isEphemeral)',
  ),
  updateUserData: db.prepare<{ id: number; name: string | null; data: string | null; isEphemeral: number | null }>(`
    update user_data set
      name = coalesce(:name, name), data = coalesce(:data, data), is_ephemeral = coalesce(:isEphemeral, is_ephemeral)
    where id = :id`),
  clearUserData: db.prepare<{ id: number }>('update user_data set data = null where id = :id'),
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
