import { describe, expect, it } from 'vitest';
import { parseAccountedJobs, parseQueuedJobs } from './accounted-jobs.ts';

describe('a row of squeue', () => {
  it('a row of squeue has the state of a job, when its present run began, and how long it has run', () => {
    expect(parseQueuedJobs('60|RUNNING|2026-11-21T16:30:00|1:05|60|\n')).toEqual([
      {
        jobId: 60,
        state: 'running',
        word: 'RUNNING',
        startedAtMs: new Date(2026, 10, 21, 16, 30).getTime(),
        seconds: 65,
        rawId: 60,
      },
    ]);
  });

  it('a row of squeue says that a job has not started, and of a job with a wrong clock nothing about its time', () => {
    expect(parseQueuedJobs('61|PENDING|N/A|0:00|61|\n62|RUNNING|N/A|INVALID|62|')).toEqual([
      { jobId: 61, state: 'queued', word: 'PENDING', seconds: 0, rawId: 61 },
      { jobId: 62, state: 'running', word: 'RUNNING', rawId: 62 },
    ]);
  });

  it('a row of squeue names a task of an array by both, and has the id that it got when it started', () => {
    // squeue -hr -t all -j 7, Slurm 22.05.8, one-node test cluster, 2026-11-23.
    expect(parseQueuedJobs('7_8|PENDING|N/A|0:00|7|\n7_2|PENDING|N/A|0:00|10|\n7_5|RUNNING|N/A|0:42|13|')).toEqual([
      { jobId: '7_8', state: 'queued', word: 'PENDING', seconds: 0, rawId: 7 },
      { jobId: '7_2', state: 'queued', word: 'PENDING', seconds: 0, rawId: 10 },
      { jobId: '7_5', state: 'running', word: 'RUNNING', seconds: 42, rawId: 13 },
    ]);
  });

  it('a row of squeue that is cut off is passed over', () => {
    expect(parseQueuedJobs('60|RUNN')).toEqual([]);
  });
});

describe('a row of sacct', () => {
  it('a row of sacct has the state of a job and how long it took', () => {
    expect(parseAccountedJobs('60|CANCELLED by 0|00:00:02|60\n')).toEqual([
      { jobId: 60, state: 'ended', word: 'CANCELLED by 0', seconds: 2, rawId: 60 },
    ]);
  });

  it('a row of sacct stands for all tasks that were canceled before they started', () => {
    expect(parseAccountedJobs('23_[0-1,5]|CANCELLED by 0|00:00:00|23').map(({ jobId }) => jobId)).toEqual([
      '23_0',
      '23_1',
      '23_5',
    ]);
  });

  it('a row of sacct that is cut off is passed over', () => {
    expect(parseAccountedJobs('60|RUNN')).toEqual([]);
  });
});
