import * as z from 'zod';
import { FileRemovals, FilesToRemove, NewFile, NewRoCrateEntity, RoCrateEntity, NewUserData } from '../artifact.ts';
import { cursor, id, integer, page, paging, queryFlag, queryInteger, text } from '../shape.ts';
import { message, type Route, workflowRoute } from './route.ts';
import { recordRoutes } from './record-routes.ts';

const files = recordRoutes({ path: '/files', table: 'file', shape: NewFile });
const userData = recordRoutes({ path: '/user_data', table: 'user_data', shape: NewUserData });
const entities = recordRoutes({ path: '/ro_crate_entities', table: 'ro_crate_entity', shape: NewRoCrateEntity });

/** Files, user data, and their entities in the research object. */
export const artifactRoutes = {
  listRequiredExistingFiles: workflowRoute('GET', '/workflows/{id}/required_existing_files', 'read', {
    reads: 'rows',
    says: 'List the files that must exist: inputs that no job produces, and outputs of completed jobs.',
    reply: z.object({ files: z.array(id) }),
  }),
  listMissingUserData: workflowRoute('GET', '/workflows/{id}/missing_user_data', 'read', {
    reads: 'rows',
    says: 'List user data without a value that jobs read and no job produces, and empty outputs of completed jobs.',
    reply: z.object({ user_data: z.array(id) }),
  }),
  removeFiles: workflowRoute('POST', '/workflows/{id}/file_removals', 'write', {
    says: 'Report files that were removed, and take temporary files that can be deleted because all jobs that read them have completed (addition).',
    body: FileRemovals,
    reply: FilesToRemove,
  }),
  createFile: files.create('Create a file record.'),
  createFiles: files.createMany('files', 'Create file records of one workflow, all or none.'),
  listFiles: files.list(
    'List the files of a workflow; with `include_uses` (addition) each has its size and the jobs that write and read it.',
    {
      produced_by_job_id: queryInteger.optional(),
      name: text.optional(),
      path: text.optional(),
      is_output: queryFlag.optional(),
      include_uses: queryFlag.optional(),
      ...cursor,
    },
  ),
  getFile: files.get('Get one file record.'),
  updateFile: files.update(
    'Change a file record; st_mtime is always written, other absent fields keep their value.',
    NewFile.partial(),
  ),
  createUserData: {
    ...userData.create('Create user data, with its consumer and producer if they are named.'),
    query: z.object({ consumer_job_id: queryInteger.optional(), producer_job_id: queryInteger.optional() }),
  },
  createUserDataList: userData.createMany('user_data', 'Create user data of one workflow, all or none.'),
  listUserData: userData.list('List the user data of a workflow.', {
    consumer_job_id: queryInteger.optional(),
    producer_job_id: queryInteger.optional(),
    name: text.optional(),
    is_ephemeral: queryFlag.optional(),
    ...cursor,
  }),
  getUserData: userData.get('Get one user data record.'),
  updateUserData: {
    ...userData.update(
      'Change user data; jobs publish values with this route. Null keeps a value, `clear_data` removes it.',
      NewUserData.partial(),
    ),
    query: z.object({ clear_data: queryFlag.optional() }),
  },
  deleteFile: { ...files.delete('Delete a file record.'), kind: 'work' },
  deleteFiles: {
    ...files.deleteAll('Delete all file records of a workflow.'),
    kind: 'work',
    reply: z.object({ deleted_count: integer }),
  },
  deleteUserData: { ...userData.delete('Delete a user data record.'), kind: 'work' },
  deleteUserDataList: {
    ...userData.deleteAll('Delete all user data records of a workflow.'),
    kind: 'work',
    reply: z.object({ message: text, deleted_count: integer }),
  },
  createRoCrateEntity: entities.create('Create an entity of the research object.'),
  getRoCrateEntity: entities.get('Get one entity of the research object.'),
  updateRoCrateEntity: entities.update(
    'Change an entity of the research object; fields that are left out keep their value.',
    NewRoCrateEntity.partial(),
  ),
  deleteRoCrateEntity: { ...entities.delete('Delete an entity of the research object.'), reply: message },
  listRoCrateEntities: workflowRoute('GET', '/workflows/{id}/ro_crate_entities', 'read', {
    reads: 'page',
    says: 'List the entities of the research object of a workflow.',
    query: z.object({ ...paging, file_id: queryInteger.optional(), entity_id: text.optional() }),
    reply: page(RoCrateEntity),
  }),
  deleteRoCrateEntities: workflowRoute('DELETE', '/workflows/{id}/ro_crate_entities', 'write', {
    says: 'Delete all entities of the research object of a workflow.',
    reply: z.object({ message: text, deleted_count: integer }),
  }),
} as const satisfies Record<string, Route>;
