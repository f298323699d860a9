import { expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { withIds } from './named.ts';

const workflows = [
  { id: 1, name: 'sweep' },
  { id: 2, name: 'sweep' },
  { id: 3, name: 'sweep again' },
  { id: 4, name: 'other' },
];
const page = (items: object[]) => Promise.resolve({ items, total_count: items.length });
const client = {
  listWorkflows: () => page(workflows),
  listJobs: ({ query }: { query: { workflow_id: number } }) => page([{ id: query.workflow_id * 10, name: 'last' }]),
} as unknown as Client;
const backend = { client: () => Promise.resolve(client), user: 'ada' };

it('a name of a workflow or of its job is replaced by its id, also within lists, and digits are an id', async () => {
  expect(await withIds({ workflow_id: 'other', changes: [{ job_id: 'last', command: 'last' }] }, backend)).toEqual({
    workflow_id: 4,
    changes: [{ job_id: 40, command: 'last' }],
  });
  expect(await withIds({ workflow_id: '7', job_id: '8' }, backend)).toEqual({ workflow_id: 7, job_id: 8 });
});

it('a name that several have is refused with their ids, and one that none has with what lists them', async () => {
  await expect(withIds({ workflow_id: 'sweep' }, backend)).rejects.toThrow(
    'more than one workflow of user ada is named "sweep"; use the id of one of them: 1, 2',
  );
  await expect(withIds({ workflow_id: 'swe' }, backend)).rejects.toThrow(
    'no workflow of user ada is named "swe"; list_workflows lists them',
  );
});
