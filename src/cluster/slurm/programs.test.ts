import { expect, it } from 'vitest';
import { outsideAllocation } from './programs.ts';

it('a program that starts something outside of the allocation gets no variables of it, and no marks of runners, and prints whole lists of tasks', () => {
  const kept = { PATH: '/bin', SLURM_CONF: '/etc/slurm.conf', TORC_API_URL: 'http://localhost' };
  const dropped = { SLURM_JOB_ID: '42', SBATCH_PARTITION: 'debug', SRUN_CPUS_PER_TASK: '2', PMIX_RANK: '0' };
  const marks = { TORC_RUNNER_MARK: 'a', TORC_RUNNER_OUTER_MARKS: 'b:c' };
  expect(outsideAllocation({ ...kept, ...dropped, ...marks })).toEqual({ ...kept, SLURM_BITSTR_LEN: '0' });
});
