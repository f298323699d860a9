import { describe, expect, it } from 'vitest';
import { resolveMode } from './execution-mode.ts';

const allocation = { isInStep: false, canStartSteps: true };

describe('the mode of a runner', () => {
  it.each([
    ['slurm', allocation, 'slurm'],
    ['auto', allocation, 'slurm'],
    ['slurm', { ...allocation, isInStep: true }, 'slurm'],
    ['auto', undefined, 'direct'],
    ['direct', allocation, 'direct'],
    [undefined, allocation, 'direct'],
  ] as const)('mode %s in the allocation %j is %s, without a warning', (asked, own, mode) => {
    expect(resolveMode(asked, 1, own)).toEqual({ mode });
  });

  it('mode auto of a runner that is itself a step runs jobs directly and warns', () => {
    const { mode, warning } = resolveMode('auto', 1, { ...allocation, isInStep: true });
    expect([mode, warning]).toEqual(['direct', expect.stringContaining('itself a step of its allocation')]);
  });

  it('mode slurm outside of an allocation is refused with what is missing', () => {
    expect(() => resolveMode('slurm', 7, undefined)).toThrow(
      'workflow 7 asks for execution mode slurm, and this runner is not inside a Slurm allocation (SLURM_JOB_ID is not set)',
    );
  });

  it.each(['slurm', 'auto'] as const)(
    'in an allocation without srun, mode %s runs jobs directly and warns',
    (asked) => {
      const { mode, warning } = resolveMode(asked, 1, { ...allocation, canStartSteps: false });
      expect([mode, warning]).toEqual(['direct', expect.stringContaining('no srun on PATH')]);
    },
  );
});
