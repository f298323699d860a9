import { expect, it } from 'vitest';
import type { Cleaned } from '../../operations/orphans/clean.ts';
import { cleanedText } from './cleaned.ts';

const nothing: Cleaned = {
  slurmJobsFailed: 0,
  pendingAllocationsCleaned: 0,
  activeAllocationsEnded: 0,
  lost: [],
  allocationsRequeued: 0,
  runningJobsFailed: 0,
  computeNodesDeactivated: 0,
  jobsRequeued: 0,
  finishedWorkKept: 0,
  failed: [],
  dead: { runners: [], jobs: [], openAllocations: 0 },
  warnings: [],
  replies: [],
};

// What Torc 1.0.0 printed for a canceled allocation, one that was gone, and a job without a runner.
it('sync-status prints the lines of Torc, and beside them what Torc does not know', () => {
  expect(cleanedText(nothing, 0, false)).toBe('No orphaned jobs found. Workflow state is in sync with Slurm.');
  const cleaned: Cleaned = {
    ...nothing,
    slurmJobsFailed: 1,
    pendingAllocationsCleaned: 2,
    runningJobsFailed: 1,
    computeNodesDeactivated: 1,
    finishedWorkKept: 3,
    failed: [
      {
        job_id: 6,
        job_name: 'j1',
        cause_code: 'allocation',
        reason: 'allocation 457 ended CANCELLED',
        slurm_job_id: '457',
      },
      { job_id: 19, job_name: 'a', cause_code: 'lost', reason: 'No active compute nodes' },
    ],
  };
  expect(cleanedText(cleaned, 0, false).split('\n')).toEqual([
    'Cleaned up orphaned jobs:',
    '  - 1 job(s) from terminated Slurm allocations',
    '  - 2 pending allocation(s) that no longer exist in Slurm',
    '  - 1 job(s) stuck in running with no active compute nodes',
    '  - 1 compute node(s) deactivated (Slurm allocation gone)',
    '  - 3 job(s) that had ended: the results are kept',
    '',
    'Affected jobs:',
    '  - Job 6 (j1): Allocation terminated (Slurm job 457): allocation 457 ended CANCELLED',
    '  - Job 19 (a): No active compute nodes',
    '',
    'Total: 2 job(s) marked as failed',
  ]);
  const onPbs = cleanedText({ ...cleaned, system: 'PBS' }, 0, false);
  expect(onPbs).toContain('(PBS job 457): allocation 457 ended CANCELLED');
  expect(onPbs).not.toContain('Slurm');
  const dry = cleanedText(cleaned, 0, true);
  expect(dry).toMatch(/^Would clean up orphaned jobs:\n/);
  expect(dry).not.toContain('Total:');
});
