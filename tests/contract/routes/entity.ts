import { VERSION } from '../../../src/core/contract/version.ts';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, unknown, unknownWorkflow, whole } from './usual.ts';
import { entity } from './world.ts';

/** What the initialization of the world says of the server that did it. */
const ofServer = {
  id: 2,
  workflow_id: 1,
  entity_id: '#software-torc-server-run-id-1',
  entity_type: 'SoftwareApplication',
  metadata: {
    '@id': '#software-torc-server-run-id-1',
    '@type': ['SoftwareApplication', 'prov:SoftwareAgent'],
    name: 'torc-server',
    version: VERSION,
  },
};

export const entityCases: Cases = {
  createRoCrateEntity: {
    answers: [
      {
        says: 'echoes it with an id',
        body: { workflow_id: 1, entity_id: '#run', entity_type: 'CreateAction', metadata: {}, file_id: null },
        reply: { workflow_id: 1, entity_id: '#run', entity_type: 'CreateAction', metadata: {}, id: 3 },
      },
    ],
    refuses: [
      { ...unknownWorkflow, body: { ...entity, workflow_id: 9 } },
      {
        says: 'keeps one of a name',
        body: { ...entity, file_id: 2 },
        status: 422,
        code: 'DUPLICATE',
        message: 'RO-Crate entity already exists for this workflow/entity_id link',
      },
      {
        says: 'keeps one of a file',
        body: { ...entity, entity_id: 'new' },
        status: 422,
        code: 'DUPLICATE',
        message: 'RO-Crate entity already exists for this workflow/file link',
      },
      {
        says: 'refuses a file of another workflow',
        body: { ...entity, entity_id: 'new', file_id: 3 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'file_id 3 is not a file of workflow 1',
      },
      {
        says: 'requires an object',
        body: { ...entity, entity_id: 'new', file_id: 2, metadata: '{}' },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'metadata: ',
      },
    ],
  },

  getRoCrateEntity: {
    answers: [{ says: 'returns it', params: { id: 1 }, reply: entity }],
    refuses: [unknown('ro_crate_entity')],
  },

  updateRoCrateEntity: {
    answers: [
      {
        says: 'keeps what is not given, and its workflow',
        params: { id: 1 },
        body: { metadata: { name: 'n' }, workflow_id: 2 },
        reply: { ...entity, metadata: { name: 'n' } },
      },
    ],
    refuses: [
      { ...unknown('ro_crate_entity'), body: {} },
      {
        says: 'refuses a file of another workflow, whichever workflow is given',
        params: { id: 1 },
        body: { workflow_id: 2, file_id: 3 },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'file_id 3 is not a file of workflow 1',
      },
      {
        says: 'refuses the name of another, whichever workflow is given',
        before: ({ client }) =>
          client.createRoCrateEntity({ body: { ...entity, id: undefined, entity_id: 'b', file_id: undefined } }),
        params: { id: 3 },
        body: { workflow_id: 2, entity_id: 'data/in.csv' },
        status: 422,
        code: 'DUPLICATE',
        message: 'RO-Crate entity already exists for this workflow/entity_id link',
      },
    ],
  },

  deleteRoCrateEntity: {
    answers: [{ says: 'deletes it', params: { id: 1 }, reply: { message: 'RO-Crate entity deleted successfully' } }],
    refuses: [unknown('ro_crate_entity')],
  },

  listRoCrateEntities: {
    answers: [
      { says: 'lists all of a workflow', params: { id: 1 }, reply: whole(entity, ofServer) },
      { says: 'finds that of a file', params: { id: 1 }, query: { file_id: 2 }, reply: whole() },
      { says: 'finds one by name', params: { id: 1 }, query: { entity_id: 'data/in.csv' }, reply: whole(entity) },
    ],
    refuses: [inUnknownWorkflow],
  },

  deleteRoCrateEntities: {
    answers: [
      {
        says: 'deletes all of a workflow and says how many',
        params: { id: 1 },
        reply: { message: 'Deleted 2 RO-Crate entities', deleted_count: 2 },
      },
    ],
    refuses: [inUnknownWorkflow],
  },
};
