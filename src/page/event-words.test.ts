import { expect, test } from 'vitest';
import { eventWords } from './event-words.ts';

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
