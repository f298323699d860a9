import { describe, expect, it, test } from 'vitest';
import { type JobStatusCounts, jobStatuses } from '../../../core/contract/job.ts';
import type { WorkflowStatus } from '../../../core/contract/workflow.ts';
import { nextLines } from './next-lines.ts';
import { queueLines } from './queue-lines.ts';
import { stateLine } from './status.ts';

const statusOf = (counts: Partial<JobStatusCounts>, isComplete = true): WorkflowStatus => ({
  workflow_id: 1,
  workflow_name: 'w',
  workflow_user: 'u',
  total_jobs: Object.values(counts).reduce((sum, jobs) => sum + jobs, 0),
  jobs_by_status: {
    ...(Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts),
    ...counts,
  },
  total_exec_time_minutes: 0,
  active_compute_nodes: 0,
  pending_scheduled_nodes: 0,
  active_scheduled_nodes: 0,
  runtime_blocked_ready_jobs: 0,
  is_complete: isComplete,
  is_canceled: false,
});

test.each<[Partial<JobStatusCounts>, string]>([
  [{ completed: 2 }, '✓ Workflow complete'],
  [{ completed: 2, failed: 1 }, '✗ Workflow complete with failures (1 failed)'],
  [{ failed: 1, canceled: 3 }, '✗ Workflow complete with failures (1 failed, 3 stopped)'],
  [{ completed: 1, terminated: 1, canceled: 3 }, '◷ Workflow complete, stopped (1 completed, 4 stopped)'],
])('the state of a workflow with %j is: %s', (counts, line) => {
  expect(stateLine(statusOf(counts))).toBe(line);
});

describe('the next step of a workflow without a runner', () => {
  const next = (
    counts: Partial<JobStatusCounts>,
    isComplete: boolean,
    runsIn: 'anywhere' | 'allocations' = 'anywhere',
    live = 0,
  ) =>
    nextLines(
      {
        status: statusOf(counts, isComplete),
        runners: { live, lost: [] },
        place: { workflowId: 1, runsIn, submission: 'due' },
      },
      (command) => command,
    );

  it('the next step after a stop goes on with what was stopped, whether or not other jobs are left', () => {
    expect(next({ terminated: 1, ready: 2 }, false)).toEqual([
      'No runner works on this workflow. To go on: torc run 1 --resume',
    ]);
    expect(next({ completed: 1, terminated: 1 }, true)).toEqual(['To run the stopped jobs again: torc run 1 --resume']);
  });

  it('the next step is a plain run where nothing was stopped but what a failure stopped, and none of torc run in allocations', () => {
    const start = 'No runner works on this workflow. To start one:';
    expect(next({ ready: 2 }, false)).toEqual([`${start} torc run 1`]);
    expect(next({ failed: 1, canceled: 2, ready: 2 }, false)).toEqual([`${start} torc run 1`]);
    expect(next({ terminated: 1, ready: 2 }, false, 'allocations')).toEqual([`${start} torc submit 1`]);
  });

  it('after the end of a workflow in Slurm the next step is a recovery, and a watch that waits for runners that are left', () => {
    const again = 'To run the failed jobs again:';
    expect(next({ failed: 1, completed: 1 }, true, 'allocations')).toEqual([`${again} torc recover 1`]);
    expect(next({ failed: 1, completed: 1 }, true, 'allocations', 1)).toEqual([`${again} torc watch 1 --recover`]);
  });
});

describe('allocations that ended before a runner began', () => {
  const lines = (working: number, ...ended: boolean[]) =>
    queueLines(
      {
        queued: ended.map((hasEnded, index) => ({ slurmJobId: 7 + index, reason: undefined, hasEnded })),
        id: 1,
        working,
      },
      (command) => command,
    );

  it('where nothing else is left of the workflow, status advises a recovery', () => {
    expect(lines(0, true)).toEqual(['Allocation 7 ended before a runner began. To go on: torc recover 1']);
  });

  it('where runners work or another allocation waits, a recovery would be refused, and status advises a watch', () => {
    const words =
      'ended before a runner began. Others work or wait. To go on when they have ended: torc watch 1 --recover';
    expect(lines(1, true)).toEqual([`Allocation 7 ${words}`]);
    expect(lines(0, true, false)).toEqual([`Allocation 7 ${words}`]);
    expect(lines(2, true, true)).toEqual([`Allocations 7, 8 ${words}`]);
  });
});
