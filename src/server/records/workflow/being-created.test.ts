import { describe, expect, it } from 'vitest';
import { Kill, mortal } from '../../../../tests/support/kill.ts';
import { testService } from '../../../../tests/support/service.ts';
import { createWorkflow } from '../../../client/create-workflow.ts';
import { planOfSpec } from '../../../core/workflow-file/read/read.ts';
import { startUpkeep } from '../../upkeep.ts';

const { plan } = planOfSpec(
  {
    name: 'flow',
    jobs: [
      { name: 'a', command: 'true' },
      { name: 'b', command: 'true', depends_on: ['a'] },
    ],
  },
  'flow',
  { readFile: () => '', fileExists: () => false, isGenerated: true },
);
const options = { user: 'u', submissionDirectory: '/', monitorsJobs: false, mtimeOf: async () => undefined };
const DAY_MS = 24 * 3_600_000;

describe('a workflow that is being created', () => {
  it('killed at any request, a creation leaves no workflow, a complete one, or an incomplete one that cannot be initialized', async () => {
    if (plan === undefined) throw new Error('the plan is wrong');
    const counting = new Kill(Infinity, false);
    await createWorkflow(mortal(testService().client, counting), plan, options);
    const seen = new Set<string>();
    for (let at = 1; at <= counting.taken; at += 1)
      for (const isAfter of [false, true]) {
        const { client } = testService();
        const kill = new Kill(at, isAfter);
        await Promise.race([createWorkflow(mortal(client, kill), plan, options), kill.died]);
        await kill.arrived();
        const { items } = await client.listWorkflows({ query: {} });
        const [found] = items;
        if (found === undefined) {
          seen.add('none');
          continue;
        }
        const params = { id: found.id };
        const { total_jobs: jobs, is_being_created: isIncomplete } = await client.getWorkflowStatus({ params });
        expect(found.is_being_created).toBe(isIncomplete);
        if (isIncomplete === true) {
          seen.add('incomplete');
          await expect(client.initializeJobs({ params, query: {} })).rejects.toThrow('is incomplete');
          expect((await client.listWorkflows({ query: { is_being_created: true } })).items).toHaveLength(1);
        } else {
          seen.add('whole');
          expect(jobs).toBe(2);
          await client.initializeJobs({ params, query: {} });
          expect((await client.listWorkflows({ query: { is_being_created: true } })).items).toEqual([]);
        }
      }
    expect([...seen].sort()).toEqual(['incomplete', 'none', 'whole']);
  });

  it('the server removes it after a day, and no earlier; whole ones stay', async () => {
    const { client, store, clock } = testService();
    const left = await client.createWorkflow({ body: { name: 'left', user: 'u', is_being_created: true } });
    const whole = await client.createWorkflow({ body: { name: 'whole', user: 'u' } });
    const tend = async () => {
      const upkeep = startUpkeep(store);
      await upkeep.stop();
    };
    const names = async () => (await client.listWorkflows({ query: {} })).items.map(({ name }) => name);
    clock.now += DAY_MS - 1_000;
    await tend();
    expect(await names()).toEqual(['left', 'whole']);
    clock.now += 2_000;
    for (const chore of store.chores) await chore();
    expect([await names(), left.id === whole.id]).toEqual([['whole'], false]);
  });
});
