import { expect, it } from 'vitest';
import { longStepOptions } from './long-step.ts';

const place = { node: 'n2', name: 'wf1_r1_jobs', allocation: { jobId: 7, nodes: 2 }, cpus: 12 };

it('the long step has all that the allocation has on its node, and leaves it to steps of jobs on several nodes', () => {
  expect(longStepOptions(place)).toEqual([
    '--jobid=7',
    '--ntasks=1',
    '--overlap',
    '--job-name=wf1_r1_jobs',
    '--nodelist=n2',
    '--nodes=1',
    '--cpus-per-task=12',
    '--mem=0',
  ]);
});

it('in an allocation of one node the node is not named, and CPUs that are not known are left to Slurm', () => {
  const options = longStepOptions({ ...place, allocation: { jobId: 7, nodes: 1 }, cpus: undefined });
  expect(options.filter((option) => /nodelist|cpus/.test(option))).toEqual([]);
});
