import { expect, test } from 'vitest';
import type { WorkflowOverview } from '../../../core/contract/view.ts';
import { standingOf } from './workflow-state.ts';

const overview = (
  jobs: WorkflowOverview['jobs_by_status'],
  more: Partial<WorkflowOverview> = {},
): WorkflowOverview => ({
  id: 1,
  name: 'w',
  user: 'u',
  project: undefined,
  timestamp: '2026-01-01T00:00:00Z',
  run_id: 1,
  is_canceled: false,
  is_archived: false,
  total_jobs: Object.values(jobs).reduce((sum, each) => sum + each, 0),
  jobs_by_status: jobs,
  active_compute_nodes: 0,
  ...more,
});

test.each([
  ['empty', {}, {}],
  ['never run', { uninitialized: 3 }, { run_id: 0 }],
  ['never run', { uninitialized: 3, disabled: 1 }, { run_id: 0 }],
  ['reset', { uninitialized: 3 }, {}],
  ['running', { ready: 2, completed: 1 }, { active_compute_nodes: 1 }],
  ['waiting', { ready: 2, failed: 1 }, {}],
  ['waiting', { pending_failed: 1, completed: 1 }, {}],
  ['failed', { completed: 2, failed: 1 }, {}],
  ['failed', { failed: 1, canceled: 1 }, {}],
  ['stopped', { completed: 2, canceled: 1 }, {}],
  ['stopped', { terminated: 1 }, {}],
  ['finished', { completed: 2, disabled: 1 }, {}],
  ['canceled', { canceled: 2 }, { is_canceled: true }],
  ['archived', { completed: 2 }, { is_archived: true }],
] as const)('a workflow is %s with the jobs %j and %j', (state, jobs, more) => {
  expect(standingOf(overview(jobs, more)).state).toBe(state);
});

test('the figures of a workflow count terminated and canceled jobs as stopped, and no job as running that is only claimed', () => {
  const jobs = { completed: 4, failed: 1, terminated: 2, running: 3, pending: 1, canceled: 5 };
  expect(standingOf(overview(jobs))).toMatchObject({
    done: 4,
    total: 16,
    failed: 1,
    stopped: 7,
    running: 3,
  });
});

test('an imported workflow is finished if all of its jobs had completed, and imported if some had not', () => {
  const jobs = { uninitialized: 2, disabled: 1 };
  expect(standingOf(overview(jobs), { ended: 2, completed: 2 })).toMatchObject({ state: 'finished', done: 2 });
  expect(standingOf(overview(jobs), { ended: 2, completed: 1 })).toMatchObject({ state: 'imported', done: 1 });
  expect(standingOf(overview({ ready: 2 }))).toMatchObject({ state: 'waiting', done: 0 });
});
