import { expect, test } from 'vitest';
import { allocationOf } from '../../src/cluster/slurm/allocation.ts';

/** Variables of a script that `sbatch -N2 -c2 --mem=500M` started, and of a step in it, by release: what differs and what is read. */

const BOTH = {
  SLURM_JOB_ID: '6',
  SLURM_JOB_NUM_NODES: '2',
  SLURM_CPUS_ON_NODE: '2',
  SLURM_CPUS_PER_TASK: '2',
  SLURM_MEM_PER_NODE: '500',
  SLURM_TASK_PID: '10698',
};
const NEWER = { SLURM_JOB_START_TIME: '1795895025', SLURM_JOB_END_TIME: '1795895325', SLURM_TRES_PER_TASK: 'cpu=2' };

test.each([
  ['22.05.8, script', BOTH, 'batch', false],
  ['22.05.8, step', { ...BOTH, SLURM_STEP_ID: '0' }, '0', true],
  ['26.05.3, script', { ...BOTH, ...NEWER, SLURM_STEP_ID: '-5', SLURM_STEPID: '-5' }, 'batch', false],
  ['26.05.3, step', { ...BOTH, ...NEWER, SLURM_STEP_ID: '0', SLURM_STEPID: '0' }, '0', true],
] as const)('%s', (_, variables, step, isInStep) => {
  expect(allocationOf(variables)).toMatchObject({
    jobId: 6,
    nodes: 2,
    cpus: 2,
    memoryBytes: 500 * 2 ** 20,
    step,
    isInStep,
  });
});
