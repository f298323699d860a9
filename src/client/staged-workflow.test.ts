import { expect, it } from 'vitest';
import { planned } from '../../tests/spec/reading.ts';
import { testService } from '../../tests/support/service.ts';
import { executionPlan } from '../core/workflow-file/plan/execution-plan.ts';
import { createWorkflow } from './create-workflow.ts';
import { stagedWorkflow } from './staged-workflow.ts';

const spec = {
  name: 'staged',
  jobs: [
    { name: 'make', command: 'x', output_files: ['a'] },
    { name: 'w_{i}', command: 'x', input_files: ['a'], parameters: { i: '1:3' } },
    { name: 'join', command: 'x', depends_on_regexes: ['^w_'] },
    { name: 'alone', command: 'x' },
  ],
  files: [{ name: 'a', path: 'a' }],
  slurm_schedulers: [{ name: 'big', account: 'acc', nodes: 2, walltime: '01:00:00' }],
  actions: [
    {
      trigger_type: 'on_jobs_ready',
      action_type: 'schedule_nodes',
      jobs: ['join'],
      scheduler: 'big',
      scheduler_type: 'slurm',
      num_allocations: 2,
    },
  ],
};

it('an initialized workflow has the same execution plan as the file that it was created from', async () => {
  const { client } = testService();
  const plan = planned(spec);
  const id = await createWorkflow(client, plan, {
    user: 'u',
    submissionDirectory: '/',
    monitorsJobs: false,
    mtimeOf: async () => undefined,
  });
  const ofFile = executionPlan(plan);
  const source = { source: 'database', workflow_id: id } as const;
  const before = executionPlan(await stagedWorkflow(client, id), source);
  expect(before.root_events).toEqual(['start']);
  expect(before.events[0]?.jobs_becoming_ready).toEqual(['make', 'w_1', 'w_2', 'w_3', 'alone']);

  await client.initializeJobs({ params: { id } });
  expect(executionPlan(await stagedWorkflow(client, id), source)).toEqual({ ...ofFile, ...source });
});

it('the plan of an unknown workflow is refused with its id', async () => {
  const { client } = testService();
  await expect(stagedWorkflow(client, 7)).rejects.toThrow('7');
});
