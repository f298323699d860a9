import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testService } from '../../tests/support/service.ts';
import type { Plan } from '../core/workflow-file/plan/plan.ts';
import { planOfSpec } from '../core/workflow-file/read/read.ts';
import type { Client } from './client.ts';
import { createWorkflow } from './create-workflow.ts';
import { all } from './every.ts';

const options = { user: 'u', submissionDirectory: '/', monitorsJobs: false, mtimeOf: async () => undefined };

/** Creates the workflow of these jobs; returns the dependencies of each by name, and the number of requests. */
async function created(
  jobs: readonly {
    readonly name: string;
    readonly depends_on?: readonly string[];
    readonly depends_on_regexes?: readonly string[];
  }[],
) {
  const { client } = testService();
  let calls = 0;
  let largest = 0;
  const counting: Client = {
    ...client,
    createJobs(input) {
      calls += 1;
      const { jobs, depends_on_positions: places = [] } = input.body;
      const named = [...jobs.map(({ depends_on_job_ids: ids }) => ids), ...(places ?? [])];
      largest = Math.max(
        largest,
        named.reduce((sum, list) => sum + (list?.length ?? 0), 0),
      );
      return client.createJobs(input);
    },
  };
  const spec = { name: 'w', jobs: jobs.map((job) => ({ command: 'true', ...job })) };
  const { plan, problems } = planOfSpec(spec, 'w.json', { readFile: () => expect.fail('there are no tables') });
  expect(problems).toEqual([]);
  const id = await createWorkflow(counting, plan as Plan, options);
  const query = { workflow_id: id, include_relationships: true };
  const found = await all((page) => client.listJobs({ query: { ...query, ...page } }));
  const nameOf = new Map(found.map((job) => [job.id, job.name]));
  const edges = found.map(({ name, depends_on_job_ids: ids }) => [
    name,
    (ids ?? []).map((each) => nameOf.get(each) as string).toSorted(),
  ]);
  return { calls, largest, dependsOn: Object.fromEntries(edges) as Record<string, string[]> };
}

it('a chain of thousands of jobs is created in a few requests, each job after its predecessor', async () => {
  const chain = Array.from({ length: 2_500 }, (_, index) => ({
    name: `j${index}`,
    ...(index === 0 ? {} : { depends_on: [`j${index - 1}`] }),
  }));
  const { calls, dependsOn } = await created(chain);
  // The first request contains only the first job: its reply shows whether the server supports positions.
  expect(calls).toBe(4);
  expect(Object.keys(dependsOn)).toHaveLength(2_500);
  for (const { name, depends_on: names = [] } of chain) expect(dependsOn[name]).toEqual(names);
});

it('jobs of one level are created in requests of a thousand, and a job that depends on all of them depends on all of them', async () => {
  const level = Array.from({ length: 2_100 }, (_, index) => ({ name: `j${index}` }));
  const last = { name: 'last', depends_on: level.map(({ name }) => name) };
  const { calls, dependsOn } = await created([last, ...level]);
  expect(calls).toBe(3);
  expect(dependsOn['last']).toEqual(last.depends_on.toSorted());
});

it('jobs with very many dependencies are created in requests of bounded size', async () => {
  const first = Array.from({ length: 900 }, (_, index) => ({ name: `a${index}` }));
  const second = Array.from({ length: 900 }, (_, index) => ({ name: `b${index}`, depends_on_regexes: ['^a'] }));
  const { calls, largest, dependsOn } = await created([...first, ...second]);
  expect(largest).toBeLessThanOrEqual(200_000);
  expect(calls).toBe(6);
  expect(dependsOn['b899']).toHaveLength(900);
});

it('with any dependencies in any order, each job depends on the jobs that its file names', async () => {
  const graph = fc.array(fc.array(fc.nat(30), { maxLength: 4 }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(graph, fc.nat(), async (lists, seed) => {
      const jobs = lists.map((others, index) => ({
        name: `j${index}`,
        depends_on: [...new Set(others.filter((other) => other < index).map((other) => `j${other}`))].toSorted(),
      }));
      const turned = [...jobs.slice(seed % jobs.length), ...jobs.slice(0, seed % jobs.length)];
      const { dependsOn } = await created(turned);
      expect(dependsOn).toEqual(Object.fromEntries(jobs.map(({ name, depends_on: names }) => [name, names])));
    }),
    { numRuns: 40 },
  );
});
