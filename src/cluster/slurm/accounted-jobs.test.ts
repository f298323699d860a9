import { expect, it } from 'vitest';
import { parseAccountedJobs } from './accounted-jobs.ts';

it('a row of squeue has the state of a job and when its present run began', () => {
  expect(parseAccountedJobs('60|RUNNING|2026-11-21T16:30:00|\n')).toEqual([
    { jobId: 60, state: 'running', word: 'RUNNING', startedAtMs: new Date(2026, 10, 21, 16, 30).getTime() },
  ]);
});

it('a job that has not started has no start, and a row of sacct has none', () => {
  expect(parseAccountedJobs('61|PENDING|N/A|\n60|CANCELLED by 0|0:0|2026-11-21T16:30:00\n')).toEqual([
    { jobId: 61, state: 'queued', word: 'PENDING' },
    { jobId: 60, state: 'ended', word: 'CANCELLED by 0' },
  ]);
});

it('a line that is cut off is passed over', () => {
  expect(parseAccountedJobs('60|RUNN')).toEqual([]);
});
