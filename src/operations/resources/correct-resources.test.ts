import { expect, it } from 'vitest';
import { ended, started, testService, workflowOf } from '../../../tests/support/service.ts';
import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { USUAL_MULTIPLIERS } from '../../core/lifecycle/resources/family-use.ts';
import { correctionsOf, storeAdjustments } from './correct-resources.ts';

const names = ['small_1', 'small_2', 'small_3', 'big_1', 'big_2', 'big_3'];

/** Jobs that share requirements and of which half needs more, with what they should ask for. */
async function advised() {
  const of = testService();
  const { client } = of;
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
  const options = { multipliers: USUAL_MULTIPLIERS, downsizes: true, jobIds: undefined };
  const memories = async () => {
    const { items: records } = await client.listResourceRequirements({ query: { workflow_id: id } });
    const { items: jobs } = await client.listJobs({ query: { workflow_id: id } });
    const memoryOf = new Map(records.map((record) => [record.id, record.memory]));
    return jobs.map((job) => [job.name, memoryOf.get(job.resource_requirements_id as number)]);
  };
  return { client, id, memories, ...(await correctionsOf(client, id, options)) };
}

const CORRECTED = names.map((name) => [name, name.startsWith('big') ? '2g' : '1g']);

it('a split of shared requirements is one request, however many jobs are moved', async () => {
  const { client, id, adjustments, memories } = await advised();
  const asked: string[] = [];
  const counting = new Proxy(client, {
    get(target, name: keyof Client) {
      asked.push(name);
      return target[name];
    },
  });
  await storeAdjustments(counting, id, adjustments, () => asked.push('steps'));
  expect(asked).toEqual(['updatePlan']);
  expect(await memories()).toEqual(CORRECTED);
});

it('where a server has no route for it, a split is made in steps, which is said before the first, and the result is the same', async () => {
  const { client, id, adjustments, memories } = await advised();
  const said: unknown[] = [];
  const old = {
    ...client,
    updatePlan: () => Promise.reject(new ServiceError('update', { status: 404, text: '' })),
  } as Client;
  await storeAdjustments(old, id, adjustments, () => said.push(adjustments.length));
  expect(said).toHaveLength(1);
  expect(await memories()).toEqual(CORRECTED);
});
