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

it('a job that no workflow is named for is found in any of them, and refused where two have it', async () => {
  const many = Array.from({ length: 75 }, (_, index) => ({ id: 75 - index, name: 'w' }));
  const jobs: Readonly<Record<number, string>> = { 1: 'oldest', 40: 'twice', 3: 'twice' };
  const busy = {
    listWorkflows: () => page(many),
    listJobs: ({ query: { workflow_id: id, name } }: { query: { workflow_id: number; name: string } }) =>
      page(jobs[id] === name ? [{ id: id * 10, name }] : []),
  } as unknown as Client;
  const of = { client: () => Promise.resolve(busy), user: 'ada' };
  expect(await withIds({ job_id: 'oldest' }, of)).toEqual({ job_id: 10 });
  await expect(withIds({ job_id: 'twice' }, of)).rejects.toThrow('use the id of one of them: 400, 30');
  await expect(withIds({ job_id: 'none' }, of)).rejects.toThrow(
    'no job is named "none"; list_jobs_by_status lists jobs',
  );
});
