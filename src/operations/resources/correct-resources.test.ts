import { expect, it } from 'vitest';
import { ended, started, testService, workflowOf } from '../../../tests/support/service.ts';
import type { Client } from '../../client/client.ts';
import { USUAL_MULTIPLIERS } from '../../core/lifecycle/resources/family-use.ts';
import { correctionsOf, storeAdjustments } from './correct-resources.ts';

it('a split of shared requirements is one request, however many jobs are moved', async () => {
  const of = testService();
  const { client } = of;
  const names = ['small_1', 'small_2', 'small_3', 'big_1', 'big_2', 'big_3'];
  const needs = { shared: { num_cpus: 1, memory: '1g', runtime: 'PT1H' } };
  const { id, nodeId } = await workflowOf(
    of,
    names.map((name) => ({ name, requirements: 'shared' })),
    needs,
  );
  const turn = (body: object) =>
    client.exchange({ params: { id }, body: { run_id: 1, compute_node_id: nodeId, ...body } });
  for (;;) {
    const { jobs } = await turn({ want: { limit: 100, prefetch: 0 } });
    if (jobs.length === 0) break;
    await turn({ started: jobs.map(started) });
    const peak = (name: string) => (name.startsWith('big') ? 1600 : 900) * 2 ** 20;
    await turn({ completed: jobs.map((job) => ({ ...ended(job), peak_memory_bytes: peak(job.name) })) });
  }
  const asked: string[] = [];
  const counting = new Proxy(client, {
    get(target, name: keyof Client) {
      asked.push(name);
      return target[name];
    },
  });
  const options = { multipliers: USUAL_MULTIPLIERS, downsizes: true, jobIds: undefined };
  const { adjustments } = await correctionsOf(client, id, options);
  await storeAdjustments(counting, id, adjustments);
  expect(asked).toEqual(['updatePlan']);
  const { items: records } = await client.listResourceRequirements({ query: { workflow_id: id } });
  const { items: jobs } = await client.listJobs({ query: { workflow_id: id } });
  const memoryOf = new Map(records.map((record) => [record.id, record.memory]));
  expect(jobs.map((job) => [job.name, memoryOf.get(job.resource_requirements_id as number)])).toEqual(
    names.map((name) => [name, name.startsWith('big') ? '2g' : '1g']),
  );
});
