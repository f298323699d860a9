import { describe, expect, it } from 'vitest';
import { belongsTo, type ProcessFacts } from './belongs-to.ts';

const IN_SLURM = { mark: 'a', allocationId: '42' };
const OUTSIDE = { mark: 'a', allocationId: '' };
const processOf = (facts: Partial<ProcessFacts>): ProcessFacts => ({
  marks: ['a'],
  group: undefined,
  ancestor: undefined,
  variable: undefined,
  ...facts,
});

describe('the processes of the jobs of a runner', () => {
  it.each([
    ['it has the mark and the Slurm job of the runner in its environment', IN_SLURM, { variable: '42' }],
    ['it descends from a process of Slurm for the same Slurm job', IN_SLURM, { ancestor: '42', variable: '42' }],
    ['it is in the control group of the Slurm job', IN_SLURM, { group: '42', variable: '42' }],
    ['it is in the control group and removed the variables of Slurm', IN_SLURM, { group: '42' }],
    [
      'it has the variables of an allocation that its job made by salloc, in the control group of its own',
      IN_SLURM,
      { group: '42', variable: '43' },
    ],
    ['it runs in a private Slurm cluster inside the control group', IN_SLURM, { group: '42', ancestor: '5' }],
    ['a runner inside its job started it', IN_SLURM, { marks: ['z', 'a', 'b'], variable: '42' }],
    ['neither it nor the runner is in a Slurm job', OUTSIDE, {}],
  ])('a process belongs to the jobs of a runner if %s', (_, runner, facts) => {
    expect(belongsTo(processOf(facts), runner)).toBe(true);
  });

  it.each([
    ['it has no mark', IN_SLURM, { marks: [], group: '42', ancestor: '42', variable: '42' }],
    ['it has only the mark of another runner', IN_SLURM, { marks: ['b'], variable: '42' }],
    ['its job submitted it to another Slurm job', IN_SLURM, { variable: '43' }],
    ['it is in the control group of another Slurm job', IN_SLURM, { group: '43', variable: '42' }],
    ['it descends from a process of Slurm for another job', IN_SLURM, { ancestor: '43', variable: '42' }],
    ['it removed the variables of Slurm, and nothing else says where it runs', IN_SLURM, {}],
    ['the runner is in no Slurm job and the process is, by its environment', OUTSIDE, { variable: '43' }],
    ['the runner is in no Slurm job and the process is, by its control group', OUTSIDE, { group: '43' }],
    ['the runner is in no Slurm job and the process is, by its ancestors', OUTSIDE, { ancestor: '43' }],
  ])('a process does not belong to the jobs of a runner if %s', (_, runner, facts) => {
    expect(belongsTo(processOf(facts), runner)).toBe(false);
  });
});
