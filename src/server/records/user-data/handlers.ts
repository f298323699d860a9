import type { NewUserData, UserData } from '../../../core/contract/artifact.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Handlers } from '../../handlers.ts';
import { workflowOfBulk } from '../bulk.ts';
import type { Deletions } from '../deletion/deletion.ts';
import { presentFields } from '../present.ts';
import { listByQuery, read } from '../records.ts';
import type { Store } from '../store.ts';
import { type UserDataQueries, userDataQueries } from './queries.ts';

export const userDataHandlers = ({ db, find }: Store, deletion: Deletions) => {
  const queries = userDataQueries(db);
  const userData = (id: number) => read(queries.userData, id);

  return {
    createUserData({ query, body }) {
      const created = addUserData(queries, find.workflow(body.workflow_id).id, body);
      link(queries.linkConsumer, 'consumer_job_id', query.consumer_job_id, created);
      link(queries.linkProducer, 'producer_job_id', query.producer_job_id, created);
      return created;
    },
    createUserDataList({ body: { user_data: list } }) {
      const workflowId = find.workflow(
        workflowOfBulk({ field: 'user_data', one: 'user_data', many: 'user_data entries' }, list),
      ).id;
      return { user_data: list.map((each) => addUserData(queries, workflowId, each)) };
    },
    listUserData: listByQuery(find, queries.userData.list),
    getUserData: ({ params }) => userData(params.id),
    updateUserData({ params: { id }, query, body }) {
      userData(id);
      if (query.clear_data === true) queries.clearUserData.run({ id });
      queries.updateUserData.run({
        id,
        name: body.name ?? null,
        data: body.data === undefined || body.data === null ? null : JSON.stringify(body.data),
        isEphemeral: body.is_ephemeral === undefined || body.is_ephemeral === null ? null : Number(body.is_ephemeral),
      });
      return userData(id);
    },
    listMissingUserData({ params: { id } }) {
      find.workflow(id);
      return { user_data: queries.missingUserData.all({ workflowId: id }).map((row) => row.id) };
    },
    deleteUserData: ({ params: { id } }) => deletion.one(userData(id).workflow_id, 'user_data', id, () => userData(id)),
    deleteUserDataList: ({ query: { workflow_id: workflowId } }) =>
      deletion.all(workflowId, 'user_data', (count) => ({
        message: `Deleted ${count} user data records for workflow ${workflowId}`,
        deleted_count: count,
      })),
  } satisfies Partial<Handlers>;
};

function addUserData(queries: UserDataQueries, workflowId: number, body: NewUserData): UserData {
  const id = queries.insertUserData.insert({
    workflowId,
    name: body.name,
    data: body.data === undefined || body.data === null ? null : JSON.stringify(body.data),
    isEphemeral: Number(body.is_ephemeral ?? false),
  });
  return { ...presentFields(body), id };
}

function link(
  query: UserDataQueries['linkConsumer'],
  field: string,
  jobId: number | undefined,
  { id, workflow_id: workflowId }: UserData,
): void {
  if (jobId === undefined) return;
  if (query.run({ jobId, userDataId: id, workflowId }) === 1) return;
  throw new Refusal('REFERENCE_UNKNOWN', `${field} ${jobId} is not a job of workflow ${workflowId}`, {
    field,
    found: jobId,
  });
}
