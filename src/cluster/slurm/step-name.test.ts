import { expect, test } from 'vitest';
import { stepNameIn, stepNameOf } from './step-name.ts';

test.each([
  [{ SLURM_STEP_ID: '3', SLURM_TASK_PID: '77' }, '3'],
  [{ SLURM_STEP_ID: '4294967290' }, 'interactive'],
  [{ SLURM_STEP_ID: '4294967291' }, 'batch'],
  [{ SLURM_STEP_ID: '-5', SLURM_TASK_PID: '77' }, 'batch'],
  [{ SLURM_STEP_ID: '-6' }, 'interactive'],
  [{ SLURM_TASK_PID: '77' }, 'batch'],
  [{ SLURM_JOB_ID: '7' }, ''],
  [{}, ''],
])('a process with the variables %j is in step "%s"', (environment, step) => {
  expect(stepNameOf(environment)).toBe(step);
});

test('the step of another process is read from its variables, and one outside of steps has none', () => {
  expect(stepNameIn(['PATH=/bin', 'SLURM_STEP_ID=3'])).toBe('3');
  expect(stepNameIn(['PATH=/bin', 'SLURM_JOB_ID=7'])).toBeUndefined();
});
