import { describe, expect, it } from 'vitest';
import { read, readText } from '../../../tests/spec/reading.ts';
import { isAcceptable } from './read.ts';

describe('a workflow may be created', () => {
  it('when nothing is wrong, and beside warnings', () => {
    expect(isAcceptable(read({ jobs: [{ name: 'a', command: 'x' }] }))).toBe(true);
    expect(isAcceptable(readText('name: a\nname: b\njobs: []\n'))).toBe(true);
    const short = {
      jobs: [{ name: 'a', command: 'x', resource_requirements: 'r', scheduler: 's' }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '2g' }],
      slurm_schedulers: [{ name: 's', account: 'a', mem: '1g' }],
    };
    expect(isAcceptable(read(short))).toBe(true);
  });

  it('but not when it cannot be read, nor beside an error, checks skipped or not', () => {
    const unreadable = readText('name: [');
    const wrong = read({ jobs: [{ name: 'a', command: 'x', depends_on: ['b'] }] });
    expect([unreadable.plan === undefined, wrong.plan === undefined]).toEqual([true, false]);
    for (const reading of [unreadable, wrong]) {
      expect(isAcceptable(reading)).toBe(false);
      expect(isAcceptable(reading, { skipsChecks: true })).toBe(false);
    }
  });

  it('against the nodes of its allocation only when checks are skipped', () => {
    const reading = read({
      jobs: [{ name: 'a', command: 'x', resource_requirements: 'r', scheduler: 's' }],
      resource_requirements: [{ name: 'r', num_cpus: 1, memory: '1g', num_nodes: 3 }],
      slurm_schedulers: [{ name: 's', account: 'a', nodes: 2 }],
      actions: [
        { trigger_type: 'on_workflow_start', action_type: 'schedule_nodes', scheduler: 's', scheduler_type: 'slurm' },
      ],
    });
    expect(isAcceptable(reading)).toBe(false);
    expect(isAcceptable(reading, { skipsChecks: true })).toBe(true);
  });
});

it('knows what the workflow is called even where it cannot be read', () => {
  expect(readText('name: w\ndescription: d\njobs: 5\n')).toMatchObject({
    plan: undefined,
    name: 'w',
    description: 'd',
  });
  expect(readText('[')).toMatchObject({ plan: undefined, name: '', description: undefined });
});
