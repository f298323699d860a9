import { beforeEach, describe, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../../tests/support/service.ts';

let service: TestService;
let id: number;

beforeEach(async () => {
  service = testService();
  ({ id } = await workflowOf(service, []));
});

const entity = (over: object = {}) => ({
  workflow_id: id,
  entity_id: 'data.csv',
  entity_type: 'File',
  metadata: { '@id': 'data.csv', '@type': ['File'] },
  ...over,
});

it('an entity of the research object is created, read, changed, listed and deleted', async () => {
  const { client } = service;
  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'data.csv' } });
  const created = await client.createRoCrateEntity({ body: entity({ file_id: fileId }) });
  const params = { id: created.id };
  expect(await client.getRoCrateEntity({ params })).toEqual({ ...entity({ file_id: fileId }), id: created.id });
  const changed = { ...created, metadata: { name: 'new' } };
  expect(await client.updateRoCrateEntity({ params, body: { metadata: { name: 'new' } } })).toEqual(changed);
  const listed = async (query: object) => (await client.listRoCrateEntities({ params: { id }, query })).items;
  expect(await listed({ file_id: fileId })).toEqual([changed]);
  expect(await listed({ entity_id: 'other' })).toEqual([]);

  // The file may be deleted; its entity stays.
  await client.deleteFile({ params: { id: fileId } });
  expect(await client.getRoCrateEntity({ params })).not.toHaveProperty('file_id');
  expect(await client.deleteRoCrateEntity({ params })).toEqual({ message: 'RO-Crate entity deleted successfully' });
  await expect(client.getRoCrateEntity({ params })).rejects.toMatchObject({ status: 404 });
});

it('an entity keeps its file until another file is named, or 0 for none', async () => {
  const { client } = service;
  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'data.csv' } });
  const created = await client.createRoCrateEntity({ body: entity({ file_id: fileId }) });
  const change = (body: object) => client.updateRoCrateEntity({ params: { id: created.id }, body });
  expect(await change({ file_id: null })).toEqual(created);
  expect(await change({ file_id: 0 })).toEqual({ ...entity(), id: created.id });
  expect(await change({ file_id: fileId })).toEqual(created);
});

it('there is one entity for a name and one for a file, whether created or changed', async () => {
  const { client } = service;
  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } });
  await client.createRoCrateEntity({ body: entity({ file_id: fileId }) });
  const other = await client.createRoCrateEntity({ body: entity({ entity_id: 'other' }) });
  await expect(client.createRoCrateEntity({ body: entity() })).rejects.toThrow(
    'RO-Crate entity already exists for this workflow/entity_id link',
  );
  const change = { params: { id: other.id }, body: { file_id: fileId } };
  await expect(client.updateRoCrateEntity(change)).rejects.toThrow(
    'RO-Crate entity already exists for this workflow/file link',
  );
  await expect(client.createRoCrateEntity({ body: entity({ entity_id: 'x', file_id: 99 }) })).rejects.toThrow(
    `file_id 99 is not a file of workflow ${id}`,
  );
  expect(await client.deleteRoCrateEntities({ params: { id } })).toEqual({
    // One is the entity of the server that initialized the workflow.
    message: 'Deleted 3 RO-Crate entities',
    deleted_count: 3,
  });
});

describe('the entities that an initialization creates', () => {
  const entities = async () => (await service.client.listRoCrateEntities({ params: { id }, query: {} })).items;
  const files = async (over: object) => {
    const { client } = service;
    id = ((await client.createWorkflow({ body: { name: 'w', user: 'u', ...over } })) as { id: number }).id;
    const csv = { workflow_id: id, name: 'in', path: 'data/in.csv', st_mtime: 1_700_000_000.5 };
    const { id: fileId } = await client.createFile({ body: csv });
    await client.createFile({ body: { workflow_id: id, name: 'out', path: 'out.bin' } });
    return fileId;
  };
  const initialize = () => service.client.initializeJobs({ params: { id } });

  it('an initialization records the server once a run', async () => {
    await files({});
    await initialize();
    await initialize();
    await service.client.resetStatus({ params: { id } });
    await initialize();
    expect((await entities()).map(({ entity_id: name }) => name)).toEqual([
      '#software-torc-server-run-id-0',
      '#software-torc-server-run-id-1',
    ]);
  });

  it('an initialization records existing files, if the workflow requests it', async () => {
    const fileId = await files({ enable_ro_crate: true });
    await initialize();
    expect((await entities()).filter(({ file_id: of }) => of === fileId)).toMatchObject([
      {
        entity_id: 'data/in.csv',
        entity_type: 'File',
        metadata: {
          '@id': 'data/in.csv',
          '@type': ['File', 'prov:Entity'],
          name: 'in.csv',
          encodingFormat: 'text/csv',
          dateModified: '2023-11-14T22:13:20.500Z',
        },
      },
    ]);
    expect(await entities()).toHaveLength(2);
  });

  it('an existing entity of a file changes only with the file, and keeps its name and other properties', async () => {
    const fileId = await files({ enable_ro_crate: true });
    const own = { '@id': 'mine', '@type': 'Dataset', author: 'me', dateModified: 'long ago' };
    await service.client.createRoCrateEntity({
      body: entity({ workflow_id: id, entity_id: 'mine', file_id: fileId, metadata: own }),
    });
    await initialize();
    const [found] = (await entities()).filter(({ file_id: of }) => of === fileId);
    expect(found).toMatchObject({
      entity_id: 'mine',
      metadata: { ...own, dateModified: '2023-11-14T22:13:20.500Z', encodingFormat: 'text/csv' },
    });
  });
});
