import { expect, it, test } from 'vitest';
import { schedulerBody } from '../plan/bodies.ts';
import { readSpec } from './read.ts';

const read = (schedulers: string, type = 'pbs', field = 'pbs_schedulers') =>
  readSpec(
    {
      name: 'a.yaml',
      text: `name: a\njobs: [{name: j, command: 'true', scheduler: s}]\n${field}: [{name: s${schedulers}}]\nactions: [{trigger_type: on_workflow_start, action_type: schedule_nodes, scheduler: s, scheduler_type: ${type}}]\n`,
    },
    { readFile: () => '' },
  );

it('a scheduler for PBS becomes a scheduler with what PBS alone has in a field of its own', () => {
  const { plan, problems } = read(', queue: workq, project: p, select: "2:ncpus=4+1:ncpus=8", walltime: "02:00:00"');
  expect(problems).toEqual([]);
  expect(plan?.slurmSchedulers.map(schedulerBody)).toEqual([
    {
      name: 's',
      account: '',
      nodes: 3,
      partition: 'workq',
      walltime: '02:00:00',
      pbs: { project: 'p', select: '2:ncpus=4+1:ncpus=8' },
    },
  ]);
  expect(plan?.actions[0]?.spec.scheduler_type).toBe('slurm');
});

test.each([
  ['', 1],
  [', nodes: 2', 2],
  [', select: "4:ncpus=1"', 4],
  [', select: "ncpus=1"', 1],
])('an entry with %j has %i nodes', (fields, nodes) => {
  expect(read(fields).plan?.slurmSchedulers[0]?.nodes).toBe(nodes);
});

it('an action for PBS without such schedulers is refused, and one for Slurm keeps its file as it was', () => {
  expect(read('', 'pbs', 'files').problems).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ code: 'ACTION_REFUSED' })]),
  );
  const { plan } = read(', account: a', 'slurm', 'slurm_schedulers');
  expect(plan?.slurmSchedulers).toEqual([{ name: 's', account: 'a' }]);
});
