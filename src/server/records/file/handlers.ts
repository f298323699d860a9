import type { File, UserData } from '../../../core/contract/artifact.ts';
import { Refusal } from '../../../core/contract/refusals.ts';
import type { Handlers } from '../../handlers.ts';
import { fileOf, userDataOf } from './row.ts';
import { workflowOfBulk } from '../bulk.ts';
import { found } from '../find.ts';
import { present } from '../present.ts';
import { read, remove, removeAll } from '../records.ts';
import type { Store } from '../store.ts';
import { createEntity, updateEntity } from '../crate-entity/entity.ts';
import { type ArtifactQueries, artifactQueries } from './queries.ts';

export const artifactHandlers = (store: Store) => {
  const { db, find } = store;
  const queries = artifactQueries(db);
  const file = (id: number) => fileOf(found(queries.getFile.get({ id }), 'file', id));
  const userData = (id: number) => userDataOf(found(queries.getUserData.get({ id }), 'user_data', id));

  const addEntity = createEntity(store, queries);
  const changeEntity = updateEntity(queries);

  return {
    createRoCrateEntity: ({ body }) => addEntity(body),
    getRoCrateEntity: ({ params }) => read(queries.entities, params.id),
    updateRoCrateEntity: ({ params, body }) => changeEntity(params.id, body),
    deleteRoCrateEntity({ params: { id } }) {
      remove(queries.entities, id);
      return { message: 'RO-Crate entity deleted successfully' };
    },
    listRoCrateEntities({ params: { id }, query: { file_id, entity_id, ...paging } }) {
      find.workflow(id);
      return queries.listEntities({ workflow_id: id, file_id, entity_id }, paging);
    },
    deleteRoCrateEntities({ params: { id } }) {
      const count = removeAll(find, queries.entities, id);
      return { message: `Deleted ${count} RO-Crate entities`, deleted_count: count };
    },

    createFile: ({ body }) => addFile(queries, find.workflow(body.workflow_id).id, body),
    createFiles({ body: { files } }) {
      const workflowId = find.workflow(workflowOfBulk({ field: 'files', one: 'file', many: 'files' }, files)).id;
      return { files: files.map((each) => addFile(queries, workflowId, each)) };
    },
    listFiles({ query: { workflow_id, produced_by_job_id, name, path, is_output, ...paging } }) {
      find.workflow(workflow_id);
      return queries.listFiles({ workflow_id, produced_by_job_id, name, path, is_output }, paging);
    },
    getFile: ({ params }) => file(params.id),
    updateFile({ params: { id }, body }) {
      file(id);
      queries.updateFile.run({ id, name: body.name ?? null, path: body.path ?? null, mtime: body.st_mtime ?? null });
      return file(id);
    },
    listRequiredExistingFiles({ params: { id } }) {
      find.workflow(id);
      return { files: queries.requiredFiles.all({ workflowId: id }).map((row) => row.id) };
    },

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
    listUserData({ query: { workflow_id, consumer_job_id, producer_job_id, name, is_ephemeral, ...paging } }) {
      find.workflow(workflow_id);
      return queries.listUserData({ workflow_id, consumer_job_id, producer_job_id, name, is_ephemeral }, paging);
    },
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
  } satisfies Partial<Handlers>;
};

function addFile(queries: ArtifactQueries, workflowId: number, body: File): File & { id: number } {
  const id = queries.insertFile.insert({ workflowId, name: body.name, path: body.path, mtime: body.st_mtime ?? null });
  return { ...present(body), id };
}

function addUserData(queries: ArtifactQueries, workflowId: number, body: UserData): UserData & { id: number } {
  const id = queries.insertUserData.insert({
    workflowId,
    name: body.name,
    data: body.data === undefined || body.data === null ? null : JSON.stringify(body.data),
    isEphemeral: Number(body.is_ephemeral ?? false),
  });
  return { ...present(body), id };
}

function link(
  query: ArtifactQueries['linkConsumer'],
  field: string,
  jobId: number | undefined,
  { id, workflow_id: workflowId }: UserData & { id: number },
): void {
  if (jobId === undefined) return;
  if (query.run({ jobId, userDataId: id, workflowId }) === 1) return;
  throw new Refusal('REFERENCE_UNKNOWN', `${field} ${jobId} is not a job of workflow ${workflowId}`, {
    field,
    found: jobId,
  });
}
