import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { resolveMode } from './mode.ts';

const withSrun = (() => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'srun'), '');
  chmodSync(join(folder, 'srun'), 0o755);
  return folder;
})();

describe('the mode of a runner', () => {
  it.each([
    ['slurm', { SLURM_JOB_ID: '7', PATH: withSrun }, 'slurm'],
    ['auto', { SLURM_JOB_ID: '7', PATH: withSrun }, 'slurm'],
    ['auto', { SLURM_JOB_ID: '7', PATH: '', TORC_FAKE_SRUN: '/fake/srun' }, 'slurm'],
    ['auto', { SLURM_JOB_ID: '7', SLURM_STEP_ID: '4294967290', PATH: withSrun }, 'slurm'],
    ['slurm', { SLURM_JOB_ID: '7', SLURM_STEP_ID: '0', PATH: withSrun }, 'slurm'],
    ['auto', { PATH: withSrun }, 'direct'],
    ['direct', { SLURM_JOB_ID: '7', PATH: withSrun }, 'direct'],
    [undefined, { SLURM_JOB_ID: '7', PATH: withSrun }, 'direct'],
  ] as const)('mode %s in %j is %s, without a warning', (asked, environment, mode) => {
    expect(resolveMode(asked, 1, environment)).toEqual({ mode });
  });

  it('mode slurm outside of an allocation is refused with what is missing', () => {
    expect(() => resolveMode('slurm', 7, { PATH: withSrun })).toThrow(
      'workflow 7 asks for execution mode slurm, and this runner is not inside a Slurm allocation (SLURM_JOB_ID is not set)',
    );
  });

  it.each(['slurm', 'auto'] as const)(
    'in an allocation without srun, mode %s runs jobs directly and warns',
    (asked) => {
      const { mode, warning } = resolveMode(asked, 1, { SLURM_JOB_ID: '7', PATH: temporaryFolder() });
      expect([mode, warning]).toEqual(['direct', expect.stringContaining('no srun on PATH')]);
    },
  );
});
