import { describe, expect, it, test } from 'vitest';
import { nextCommand, type RunPlace } from './next-command.ts';

const slurm: RunPlace = { workflowId: 1, runsIn: 'allocations', submission: 'due' };
const SCRIPT = 'submit to the batch system a script that starts torc-slurm-job-runner for workflow 1';
const RESET = 'torc workflows reset-status 1 --failed-only --reinitialize';

describe('the next command for a workflow whose jobs run in allocations', () => {
  test.each<[string, Partial<RunPlace>, Parameters<typeof nextCommand>[1], string]>([
    ['submits it while an action that does is due', {}, {}, 'torc submit 1'],
    ['recovers it when its allocations were submitted before', { submission: 'done' }, {}, 'torc recover 1'],
    ['recovers it when jobs failed', {}, { again: '--retry-failed' }, 'torc recover 1'],
    ['recovers it when jobs were interrupted', { submission: 'done' }, { again: '--resume' }, 'torc recover 1'],
    ['resets it when it was canceled', {}, { again: '--resume', isCanceled: true }, `${RESET}, then torc recover 1`],
    [
      'submits an allocation of a scheduler that no action uses',
      { submission: 'none' },
      {},
      'torc slurm schedule-nodes 1',
    ],
    [
      'plans allocations for jobs that no active runner can take',
      {},
      { hasRunners: true },
      'torc slurm regenerate 1 --submit',
    ],
    ['names a script where jobs have labels', {}, { labels: ['gpu'] }, `${SCRIPT} --label gpu`],
    ['names a script where a person submitted one', { runsIn: 'scripts' }, {}, SCRIPT],
    [
      'resets it where a person submitted a script',
      { runsIn: 'scripts' },
      { again: '--resume' },
      `${RESET}, then ${SCRIPT}`,
    ],
  ])('the next command for a workflow whose jobs run in allocations %s', (_, change, need, command) => {
    expect(nextCommand({ ...slurm, ...change }, need)).toBe(command);
  });

  it('the next command for a workflow whose jobs run in allocations is never torc run', () => {
    for (const runsIn of ['allocations', 'scripts'] as const)
      for (const submission of ['due', 'done', 'none'] as const)
        for (const again of [undefined, '--resume', '--retry-failed'] as const)
          for (const isCanceled of [true, false])
            for (const labels of [[], ['gpu']]) {
              const need = { isCanceled, labels, ...(again === undefined ? {} : { again }) };
              expect(nextCommand({ workflowId: 1, runsIn, submission }, need)).not.toMatch(/\btorc run\b/);
            }
  });
});

test.each<[string, Parameters<typeof nextCommand>[1], string]>([
  ['runs it', {}, 'torc run 1'],
  ['runs interrupted jobs again', { again: '--resume' }, 'torc run 1 --resume'],
  ['runs failed jobs again', { again: '--retry-failed', isCanceled: true }, 'torc run 1 --retry-failed'],
  ['starts a runner with the labels of its jobs', { labels: ['a', 'b'] }, 'torc run 1 --label a --label b'],
])('the next command for a workflow that runs anywhere %s', (_, need, command) => {
  expect(nextCommand({ ...slurm, runsIn: 'anywhere' }, need)).toBe(command);
});

it('the next command for a workflow with remote workers starts them', () => {
  expect(nextCommand({ ...slurm, runsIn: 'hosts' })).toBe('torc remote run 1');
});
