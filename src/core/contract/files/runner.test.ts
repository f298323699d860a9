import { describe, expect, it } from 'vitest';
import { labelOf, runnerLogOf, slurmTaskOf } from './runner.ts';

const onHost = { workflowId: 3, runId: 2, hostname: 'n01', scheduler: undefined };
const inSlurm = {
  ...onHost,
  scheduler: { type: 'slurm', slurm_job_id: '77', slurm_node_id: 1, slurm_task_pid: 4242 },
};

describe('the files of a runner', () => {
  it('the files of a runner are named after the workflow, the host and the run', () => {
    expect(labelOf(onHost)).toBe('wf3_hn01_r2');
    expect(runnerLogOf('out', onHost)).toBe('out/job_runner_n01_wf3_r2.log');
  });

  it('inside Slurm, the files of a runner are named after the allocation, the node and the task, because a host may have many', () => {
    expect(labelOf(inSlurm)).toBe('wf3_sl77_n1_p4242');
    expect(runnerLogOf('out', inSlurm)).toBe('out/job_runner_slurm_wf3_sl77_n1_pid4242.log');
  });
});

it.each([undefined, null, 'slurm', ['slurm_job_id'], {}, { type: 'local' }, { slurm_job_id: null }])(
  'a runner with the scheduler %j is not in Slurm',
  (scheduler) => {
    expect(slurmTaskOf(scheduler)).toBeUndefined();
  },
);
