import { expect, it } from 'vitest';
import { environmentOfJobs } from './work.ts';

it('jobs inside a step have the variables of the allocation and the user, and none that makes them a task of the step', () => {
  const kept = { SLURM_JOB_ID: '7', SLURM_JOB_NODELIST: 'n[1-2]', SLURMD_NODENAME: 'n1', HOME: '/home/me', MINE: '' };
  const step = { SLURM_STEP_ID: '0', SLURM_PROCID: '0', SLURM_NTASKS: '1', SLURM_SRUN_COMM_PORT: '1', PMI_RANK: '0' };
  expect(environmentOfJobs({ ...kept, ...step, SLURM_CPUS_PER_TASK: '8', SLURM_MEM_PER_NODE: '400' })).toEqual(kept);
});

it('a job that asked for no GPU sees none of the step', () => {
  expect(environmentOfJobs({ CUDA_VISIBLE_DEVICES: '0,1' })).toEqual({ CUDA_VISIBLE_DEVICES: '' });
  expect(environmentOfJobs({})).toEqual({});
});
