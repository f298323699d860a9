import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../tests/support/programs.ts';
import type { BatchSystem } from './batch/batch-system.ts';
import { batchSystems, hasBatch, openBatch, openBatchIfClear } from './open-batch.ts';

/** A PATH with programs of these names, and the configuration of a PBS client. */
function installed(...names: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of [...names, 'pbs.conf']) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return { PATH: folder, PBS_CONF_FILE: join(folder, 'pbs.conf') };
}
const PBS = ['qsub', 'qselect'];

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

it('PBS is here where its programs and its configuration are, which the qsub of Slurm has not', () => {
  expect(openBatch(installed(...PBS)).name).toBe('PBS');
  expect(openBatch(installed('sbatch', 'qsub', 'pbsnodes')).name).toBe('Slurm');
  expect(openBatch({ ...installed(...PBS), PBS_CONF_FILE: '/nowhere' }).name).toBe('Slurm');
});

it('where two are installed, one has to be chosen, and the error says how', () => {
  const both = installed('sbatch', ...PBS);
  expect(() => openBatch(both)).toThrow(
    expect.objectContaining({
      code: 'BATCH_SYSTEM_UNCLEAR',
      message: expect.stringContaining('slurm and pbs: choose one with [client.batch] system'),
    }),
  );
  expect([hasBatch(both), openBatchIfClear(both)]).toEqual([false, undefined]);
  expect(openBatch({ ...both, TORC_BATCH_SYSTEM: 'pbs' }).name).toBe('PBS');
  expect(openBatch({ ...both, TORC_BATCH_SYSTEM: 'slurm' }).name).toBe('Slurm');
});

it('inside an allocation its own batch system is meant, whatever was chosen', () => {
  const both = { ...installed('sbatch', ...PBS), TORC_BATCH_SYSTEM: 'slurm' };
  expect(openBatch({ ...both, PBS_JOBID: '12.pbs' }).name).toBe('PBS');
  expect(openBatch({ ...both, TORC_BATCH_SYSTEM: 'pbs', SLURM_JOB_ID: '12' }).name).toBe('Slurm');
});
