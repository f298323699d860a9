import { describe, expect, it } from 'vitest';
import type { WorkflowStatus } from '../core/contract/workflow.ts';
import { jobStatuses } from '../core/job/job-statuses.ts';
import type { Counts } from '../core/job/statuses.ts';
import { anywhere, type RunPlace } from '../core/lifecycle/explain/next-command.ts';
import {
  ageText,
  partsOfStep,
  reasonsToWait,
  runnerCommand,
  shortenedText,
  workflowWordOf,
  verdictOf,
} from './words.ts';

describe('the verdict about a workflow', () => {
  it.each<[Counts, boolean, number, string]>([
    [{}, false, 0, 'This workflow has no jobs.'],
    [{ uninitialized: 3 }, false, 0, '3 jobs have not been initialized.'],
    [{ completed: 1 }, false, 0, 'The job completed.'],
    [{ completed: 1204 }, false, 0, 'All 1,204 jobs completed.'],
    [{ completed: 2, running: 1 }, false, 1, '1 job runs on 1 runner; 2 of 3 jobs completed.'],
    [{ completed: 2, failed: 1 }, false, 0, 'This workflow ended: 2 of 3 jobs completed, 1 failed.'],
    [{ failed: 1, canceled: 2 }, false, 0, 'This workflow ended: 0 of 3 jobs completed, 1 failed and 2 were stopped.'],
    [{ completed: 1, terminated: 3 }, false, 0, 'This workflow was stopped: 1 of 4 jobs completed, 3 were stopped.'],
    [{ running: 2, pending: 36 }, false, 1, '2 jobs run on 1 runner; 0 of 38 jobs completed.'],
    [{ pending: 3 }, false, 1, '1 runner is about to start jobs; 0 of 3 jobs completed.'],
    [{ ready: 2 }, false, 0, 'No runner is active; 0 of 2 jobs completed.'],
    [{ blocked: 2 }, false, 3, 'Nothing runs at the moment; 0 of 2 jobs completed.'],
    [{ completed: 1, canceled: 1 }, true, 0, 'This workflow was canceled: 1 of 2 jobs completed, 1 was stopped.'],
  ])('the verdict of %j is a sentence', (counts, isCanceled, runners, sentence) => {
    expect(verdictOf(counts, isCanceled, runners)).toBe(sentence);
  });

  it('a workflow runs while jobs run although others failed, and is canceled whatever runs', () => {
    expect(workflowWordOf({ failed: 1, running: 1 }, false)).toBe('running');
    expect(workflowWordOf({ failed: 1 }, false)).toBe('failed');
    expect(workflowWordOf({ failed: 1, running: 1 }, true)).toBe('canceled');
  });
});

describe('the reasons why jobs wait', () => {
  const NOTHING = {
    workflow_id: 7,
    jobs_by_status: Object.fromEntries(jobStatuses.map((each) => [each, 0])),
    active_compute_nodes: 0,
    pending_scheduled_nodes: 0,
    active_scheduled_nodes: 0,
    runtime_blocked_ready_jobs: 0,
  } as unknown as WorkflowStatus;
  const status = (counts: Counts, more: Partial<WorkflowStatus> = {}, place: Partial<RunPlace> = {}) =>
    reasonsToWait(
      { ...NOTHING, jobs_by_status: { ...NOTHING.jobs_by_status, ...counts }, ...more },
      { ...anywhere(7), ...place },
    ).map(({ jobs, words, command }) => `${jobs} ${words}${command === undefined ? '' : `: ${command}`}`);

  it('the reasons name the next command where nothing runs, and none where an allocation is in the queue', () => {
    expect(status({ ready: 2, blocked: 1 })).toEqual([
      '2 are ready, and no runner is active: torc run 7',
      '1 waits for other jobs to complete',
    ]);
    expect(status({ ready: 1 }, { pending_scheduled_nodes: 2 })).toEqual(['1 is ready, and 2 allocations wait']);
  });

  it('the reasons name what submits allocations where jobs run in Slurm, and never torc run', () => {
    const [due, done] = (['due', 'done'] as const).map((submission) =>
      status({ ready: 2 }, {}, { runsIn: 'allocations', submission }),
    );
    expect(due).toEqual(['2 are ready, and no runner is active: torc submit 7']);
    expect(done).toEqual(['2 are ready, and no runner is active: torc recover 7']);
    expect(status({ ready: 1 }, {}, { runsIn: 'scripts' })).toEqual([
      '1 is ready, and no runner is active; submit to the batch system a script that starts torc-slurm-job-runner for workflow 7',
    ]);
  });

  it('the reasons name a recovery where nothing is left of the workflow, and a watch while a runner or an allocation is', () => {
    const words = '1 waits for a decision after a failure';
    expect(status({ pending_failed: 1 })).toEqual([`${words}: torc recover 7 --dry-run`]);
    for (const alive of ['active_compute_nodes', 'active_scheduled_nodes', 'pending_scheduled_nodes'])
      expect(status({ pending_failed: 1 }, { [alive]: 1 })).toEqual([`${words}: torc watch 7 --recover`]);
  });

  it('the reasons name what no runner has, and count only the others among those that wait for a place', () => {
    const gpus = { reason: 'gpus', needs: '8 GPUs', has: '0 GPUs', jobs: 1, job_id: 203, job_name: 'big' } as const;
    const all = reasonsToWait(
      { ...NOTHING, workflow_id: 7, jobs_by_status: { ...NOTHING.jobs_by_status, ready: 3 }, active_compute_nodes: 1 },
      anywhere(7),
      [gpus],
    );
    expect(all).toEqual([
      {
        jobs: 1,
        words: 'needs more GPUs than the runner has: big (job 203) needs 8 GPUs, it has 0 GPUs',
        command: 'torc jobs explain 203',
      },
      { jobs: 2, words: 'are ready, and the runners have no free place at the moment' },
    ]);
  });

  it('the reasons name labels and times that no runner has, and only else that runners are full', () => {
    const runners = { active_compute_nodes: 1 };
    expect(status({ ready: 4 }, runners)).toEqual(['4 are ready, and the runners have no free place at the moment']);
    expect(
      status({ ready: 4 }, { ...runners, unserved_ready_labels: { gpu: 3 }, runtime_blocked_ready_jobs: 1 }),
    ).toEqual(['3 need a runner with the label gpu, and none has it', '1 needs more time than any runner has left']);
  });

  it('the reasons name jobs that a runner has claimed ahead, which do not run yet', () => {
    expect(status({ running: 2, pending: 36 }, { active_compute_nodes: 1 })).toEqual([
      '36 are about to start: a runner has claimed jobs ahead',
    ]);
  });

  it('there are no reasons if no job waits', () => {
    expect(status({ completed: 2, running: 1 })).toEqual([]);
  });
});

it('the first runner of a workflow in Slurm comes with an allocation, and no other one gets torc run', () => {
  const of = (place: Partial<RunPlace>) => runnerCommand({ ...anywhere(7), ...place });
  expect(of({}).command).toBe('torc run 7');
  expect(of({ runsIn: 'hosts' }).command).toBe('torc remote run 7');
  expect(of({ runsIn: 'allocations', submission: 'due' })).toEqual({
    says: 'Its runners come with allocations of a cluster. There, this submits them:',
    command: 'torc submit 7',
  });
  expect(of({ runsIn: 'allocations' }).command).toBe('torc slurm schedule-nodes 7');
  expect(of({ runsIn: 'scripts' })).toEqual({
    says: 'Submit to the batch system a script that starts torc-slurm-job-runner for workflow 7.',
    command: undefined,
  });
});

it('an age is short, and nothing without a time', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(ageText('2026-03-01T11:59:55Z', now)).toBe('just now');
  expect(ageText('2026-03-01T11:59:30Z', now)).toBe('30s ago');
  expect(ageText('2026-03-01T10:00:00Z', now)).toBe('2h 00m ago');
  expect(ageText(undefined, now)).toBe('');
});

it('a step of an explanation has its words and its command apart, and one with several commands is a sentence', () => {
  expect(partsOfStep('torc run 4')).toEqual({ words: '', command: 'torc run 4' });
  expect(partsOfStep('start a runner that can: torc run 4 --label gpu')).toEqual({
    words: 'Start a runner that can',
    command: 'torc run 4 --label gpu',
  });
  const several = 'give it more: torc resource-requirements update 5, then torc jobs reset-status 7 --reinit';
  expect(partsOfStep(several)).toEqual({ words: `G${several.slice(1)}` });
  expect(partsOfStep('read what it printed last')).toEqual({ words: 'Read what it printed last' });
});

it('a name of any length is short, and marks that turn its direction are visible', () => {
  expect(shortenedText('x'.repeat(1_000_000))).toBe(`${'x'.repeat(200)}…`);
  expect(shortenedText('a\u202eb')).toBe('a\\u202eb');
  expect(shortenedText('<b>plain')).toBe('<b>plain');
});
