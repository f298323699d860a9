import { beforeEach, expect, it } from 'vitest';
import { ended, registerNode, testService, type TestService } from '../../tests/support/service.ts';
import type { Client } from './client.ts';
import { knownFiles } from './compat/plan-facts.ts';
import { readInputs, storedPlan } from './stored-plan.ts';

let service: TestService;
beforeEach(() => {
  service = testService();
});

/** Jobs of two workflows, whose ids alternate; each reads the file of the one before. */
async function twoWorkflows({ client }: TestService, jobs: number): Promise<[number, number]> {
  const create = async (name: string) => (await client.createWorkflow({ body: { name, user: 'tester' } })).id;
  const ids: [number, number] = [await create('one'), await create('two')];
  for (let number = 0; number < jobs; number += 1)
    for (const workflow_id of ids) {
      const { id: file } = await client.createFile({ body: { workflow_id, name: `f${number}`, path: `p${number}` } });
      const body = { workflow_id, name: `j${number}`, command: `run ${workflow_id}`, input_file_ids: [file] };
      await client.createJob({ body });
    }
  return ids;
}

/** A client that asks for pages of two records. */
const paged = (client: Client): Client => ({
  ...client,
  readJobColumns: ({ params, query }) => client.readJobColumns({ params, query: { ...query, limit: 2 } }),
  readFileColumns: ({ params, query }) => client.readFileColumns({ params, query: { ...query, limit: 2 } }),
  readUserDataColumns: ({ params, query }) => client.readUserDataColumns({ params, query: { ...query, limit: 2 } }),
});

it.each([0, 1, 2, 4, 5])(
  'a workflow of %i jobs is read whole in pages of two, without the jobs of another',
  async (jobs) => {
    const [id] = await twoWorkflows(service, jobs);
    const plan = await storedPlan(paged(service.client), id);
    const { items } = await service.client.listJobs({ query: { workflow_id: id, include_relationships: true } });
    expect(plan.jobs.map((job) => [job.id, job.name, job.command, job.input_file_ids])).toEqual(
      items.map((job) => [job.id, job.name, job.command, job.input_file_ids]),
    );
    expect(plan.files.map(({ name, path }) => [name, path])).toEqual(
      Array.from({ length: jobs }, (_, number) => [`f${number}`, `p${number}`]),
    );
  },
);

it('what attempts said of their inputs is read whole in pages, also where a page ends within a job', async () => {
  const { client } = service;
  const { id } = await client.createWorkflow({ body: { name: 'reads', user: 'tester' } });
  for (const [name, count] of [
    ['a', 3],
    ['b', 0],
    ['c', 4],
  ] as const) {
    const files = Array.from({ length: count }, (_, index) => ({
      workflow_id: id,
      name: `${name}${index}`,
      path: name,
    }));
    const { files: made } = count === 0 ? { files: [] } : await client.createFiles({ body: { files } });
    const input_file_ids = made.map((file) => file.id);
    await client.createJob({ body: { workflow_id: id, name, command: 'true', input_file_ids } });
  }
  await client.resetStatus({ params: { id } });
  await client.initializeJobs({ params: { id } });
  const nodeId = await registerNode(service, id);
  const { jobs } = await client.exchange({
    params: { id },
    body: { run_id: 1, compute_node_id: nodeId, want: { limit: 3, prefetch: 0 } },
  });
  const said = jobs.map((job) =>
    (job.input_files ?? []).map((file) => ({ id: file.id, st_mtime: 100.25 + file.id, st_size: job.id * 10 })),
  );
  expect(said.map(({ length }) => length)).toEqual([3, 0, 4]);
  const completed = jobs.map((job, index) => ({ ...ended(job), inputs: said[index] }));
  await client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, completed } });
  const inTwos: Client = {
    ...client,
    readInputColumns: ({ params, query }) => client.readInputColumns({ params, query: { ...query, limit: 2 } }),
  };
  expect(await readInputs(inTwos, id)).toEqual(
    jobs.flatMap((job, index) =>
      (said[index] ?? []).map(({ id: file_id, ...stamp }) => ({ job_id: job.id, file_id, ...stamp })),
    ),
  );
});

it('values of megabytes are read in several pages, each whole and with none left out', async () => {
  const { client } = service;
  const { id: workflow_id } = await client.createWorkflow({ body: { name: 'long', user: 'tester' } });
  const values = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(1.5 * 2 ** 20));
  const deep = JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as never;
  for (const data of [...values, deep, null])
    await client.createUserData({ body: { workflow_id, name: 'v', data }, query: {} });
  const first = await client.readUserDataColumns({ params: { id: workflow_id }, query: {} });
  expect([first.columns.id.length, first.has_more]).toEqual([3, true]);
  const { userData } = await storedPlan(client, workflow_id);
  expect(userData.map(({ data }) => data)).toEqual([...values, deep, null]);
});

it('a server that sends fewer columns has no value there, and the times of files are read from its lists', async () => {
  const [id] = await twoWorkflows(service, 2);
  const { client } = service;
  const { items } = await client.listFiles({ query: { workflow_id: id } });
  const [first] = items;
  await client.updateFile({
    params: { id: first?.id as number },
    body: { ...first, name: 'f0', path: 'p0', st_mtime: 7 } as never,
  });
  const earlier: Client = {
    ...client,
    async readJobColumns(input) {
      const { columns, ...page } = await client.readJobColumns(input);
      const { priority: _priority, ...others } = columns;
      return { ...page, columns: others as typeof columns };
    },
    async readFileColumns(input) {
      const { columns, ...page } = await client.readFileColumns(input);
      const { st_mtime: _times, ...others } = columns;
      return { ...page, columns: others };
    },
  };
  expect((await storedPlan(earlier, id)).jobs.map(({ name, priority }) => [name, priority])).toEqual([
    ['j0', null],
    ['j1', null],
  ]);
  expect((await knownFiles(earlier, id)).map(({ st_mtime: time }) => time)).toEqual([7, null]);
  expect(await knownFiles(earlier, id)).toMatchObject(await knownFiles(client, id));
});
