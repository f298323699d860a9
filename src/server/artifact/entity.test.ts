import { beforeEach, expect, it } from 'vitest';
import { testService, type TestService, workflowOf } from '../../../tests/support/service.ts';

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
  const params = { id: created.id as number };
  expect(await client.getRoCrateEntity({ params })).toEqual({ ...entity({ file_id: fileId }), id: created.id });
  const changed = { ...created, metadata: { name: 'new' } };
  expect(await client.updateRoCrateEntity({ params, body: { metadata: { name: 'new' } } })).toEqual(changed);
  const listed = async (query: object) => (await client.listRoCrateEntities({ params: { id }, query })).items;
  expect(await listed({ file_id: fileId })).toEqual([changed]);
  expect(await listed({ entity_id: 'other' })).toEqual([]);

  // The file may go; what was said of it stays.
  await client.deleteFile({ params: { id: fileId as number } });
  expect(await client.getRoCrateEntity({ params })).not.toHaveProperty('file_id');
  expect(await client.deleteRoCrateEntity({ params })).toEqual({ message: 'RO-Crate entity deleted successfully' });
  await expect(client.getRoCrateEntity({ params })).rejects.toMatchObject({ status: 404 });
});

it('an entity keeps its file until another is named, or 0 for none', async () => {
  const { client } = service;
  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'data.csv' } });
  const created = await client.createRoCrateEntity({ body: entity({ file_id: fileId }) });
  const change = (body: object) => client.updateRoCrateEntity({ params: { id: created.id as number }, body });
  expect(await change({ file_id: null })).toEqual(created);
  expect(await change({ file_id: 0 })).toEqual({ ...entity(), id: created.id });
  expect(await change({ file_id: fileId })).toEqual(created);
});

it('there is one entity of a name and one of a file, whether created or changed', async () => {
  const { client } = service;
  const { id: fileId } = await client.createFile({ body: { workflow_id: id, name: 'f', path: 'f' } });
  await client.createRoCrateEntity({ body: entity({ file_id: fileId }) });
  const other = await client.createRoCrateEntity({ body: entity({ entity_id: 'other' }) });
  await expect(client.createRoCrateEntity({ body: entity() })).rejects.toThrow(
    'RO-Crate entity already exists for this workflow/entity_id link',
  );
  const change = { params: { id: other.id as number }, body: { file_id: fileId } };
  await expect(client.updateRoCrateEntity(change)).rejects.toThrow(
    'RO-Crate entity already exists for this workflow/file link',
  );
  await expect(client.createRoCrateEntity({ body: entity({ entity_id: 'x', file_id: 99 }) })).rejects.toThrow(
    `file_id 99 is not a file of workflow ${id}`,
  );
  expect(await client.deleteRoCrateEntities({ params: { id } })).toEqual({
    message: 'Deleted 2 RO-Crate entities',
    deleted_count: 2,
  });
});
