import { expect, it, test } from 'vitest';
import { streamEvents } from '../../contract/event.ts';
import { eventWords, streamEventWords } from './event-words.ts';

test.each([
  [
    { category: 'recovery', action: 'begin', message: 'Begins to recover workflow 3', raised: [] },
    'Begins to recover workflow 3.',
  ],
  [
    { category: 'user_action', action: 'reset_job_status', user: 'ada', failed_only: true, updated_count: 3 },
    'Reset job status, by ada (failed only: yes, updated count: 3).',
  ],
  [
    { category: 'runner_left', level: 'warning', hostname: 'n1', reason: 'idle', ready_jobs: 2, unclaimable_jobs: 1 },
    'The runner on n1 left: idle; 2 jobs ready; no runner can take 1 of them.',
  ],
  [
    { category: 'step', level: 'info', done: [1, 2], note: null, force: false, more: { a: 1 } },
    'Step: done: 1 2, more: {"a":1}.',
  ],
  [['a', 1], '["a",1]'],
])('the event %j is a sentence', (data, words) => {
  expect(eventWords(data)).toBe(words);
});

test.each([
  ['job_started', { job_id: 8, job_name: 'align_7', compute_node_id: 2 }, 'Job align_7 (8) started on compute node 2.'],
  ['job_completed', { job_id: 8, job_name: 'align_7', return_code: 0 }, 'Job align_7 (8) completed.'],
  ['job_failed', { job_id: 8, job_name: 'align_7', return_code: 3 }, 'Job align_7 (8) failed with return code 3.'],
  [
    'job_canceled',
    { job_id: 9, job_name: 'call_7', cause: 'job 8 did not succeed' },
    'Job call_7 (9) was canceled: job 8 did not succeed.',
  ],
  ['jobs_ready', { jobs: 1204 }, '1,204 jobs became ready.'],
  [
    'jobs_claimed',
    { compute_node_id: 2, job_ids: [1, 2, 3, 4, 5, 6] },
    'Compute node 2 took 6 jobs (1, 2, 3, 4, 5 and 1 more).',
  ],
  [
    'jobs_requeued',
    { compute_node_id: 2, reason: 'its host restarted', jobs: [{ job_id: 1, job_name: 'a' }] },
    'A runner is lost, and what it ran starts again: 1 job (a): its host restarted.',
  ],
  [
    'workflow_started',
    { type: 'workflow_started', message: '2 jobs are ready in run 1' },
    '2 jobs are ready in run 1.',
  ],
  ['run_started', { category: 'workflow', run_id: 3 }, 'Run 3 began.'],
  [
    'compute_node_stopped',
    { compute_node_id: 2, hostname: 'n1', duration_seconds: 71, running_jobs: 2 },
    'The runner on n1 (compute node 2) ended after 1m 11s; 2 jobs still run in its name.',
  ],
  ['of_a_later_version', { some: 1 }, 'Of a later version: some: 1.'],
  ['jobs_ready', [1], 'Jobs ready: [1].'],
])('the event %s of the stream with %j is a sentence', (type, data, words) => {
  expect(streamEventWords(type, data)).toBe(words);
});

it('each event of the stream is one sentence, whatever facts a server of another version leaves out', () => {
  for (const type of Object.keys(streamEvents))
    for (const data of [{}, { jobs: 'x', job_ids: 'y' }, { jobs: [{}], job_ids: null }, null])
      expect(streamEventWords(type, data)).toMatch(/^[A-Z0-9].*\.$/);
});
