import { expect, it, onTestFinished } from 'vitest';
import type { BatchSystem } from './batch/batch-system.ts';
import { batchSystems, hasBatch, openBatch } from './open-batch.ts';

it('a batch system is opened where it says that it is here, and Slurm where none is', () => {
  const other = { isHere: (variables: object) => 'OTHER' in variables, open: () => ({ name: 'other' }) as BatchSystem };
  batchSystems.push(other);
  onTestFinished(() => void batchSystems.splice(batchSystems.indexOf(other), 1));
  const opened = [{ OTHER: '1', PATH: '' }, { PATH: '' }, { TORC_FAKE_SBATCH: '/bin/true', OTHER: '1' }].map(
    (variables) => [openBatch(variables).name, hasBatch(variables)],
  );
  expect(opened).toEqual([
    ['other', true],
    ['Slurm', false],
    ['Slurm', true],
  ]);
});
