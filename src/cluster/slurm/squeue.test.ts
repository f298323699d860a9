import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isReadOrRefused } from '../../../tests/support/refused.ts';
import { HelperFailed } from '../helper-failed.ts';
import { openSqueue, parseJobs, parseScripts, parseStepIds, parseTimeOf } from './squeue.ts';

describe('a row of squeue', () => {
  it('a row of squeue has the state of a job, when its present run began, and how long it has run', () => {
    expect(parseJobs('60|RUNNING|2026-11-21T16:30:00|1:05|60|\n')).toEqual([
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
    expect(parseJobs('61|PENDING|N/A|0:00|61|\n62|RUNNING|N/A|INVALID|62|')).toEqual([
      { jobId: 61, state: 'queued', word: 'PENDING', seconds: 0, rawId: 61 },
      { jobId: 62, state: 'running', word: 'RUNNING', rawId: 62 },
    ]);
  });

  it('a row of squeue names a task of an array by both, and has the id that it got when it started', () => {
    // squeue -hr -t all -j 7, Slurm 22.05.8, one-node test cluster, 2026-11-23.
    expect(parseJobs('7_8|PENDING|N/A|0:00|7|\n7_2|PENDING|N/A|0:00|10|\n7_5|RUNNING|N/A|0:42|13|')).toEqual([
      { jobId: '7_8', state: 'queued', word: 'PENDING', seconds: 0, rawId: 7 },
      { jobId: '7_2', state: 'queued', word: 'PENDING', seconds: 0, rawId: 10 },
      { jobId: '7_5', state: 'running', word: 'RUNNING', seconds: 42, rawId: 13 },
    ]);
  });

  it('a row of squeue that is cut off is passed over', () => {
    expect(parseJobs('61|RUNNING|N/A|0:01|61||\n60|RUNN').map(({ jobId }) => jobId)).toEqual([61]);
  });
});

describe('the reply of squeue', () => {
  it('the reply of a program that stands in for squeue has an id and a state in each line, and a word between them does no harm', () => {
    const jobs = parseJobs(
      '12                  RUNNING             \n13 name PENDING\n14.2 RUNNING\n15|RUNNING\n16 NEW_WORD\n',
    );
    expect(jobs).toEqual([
      { jobId: 12, state: 'running', word: 'RUNNING' },
      { jobId: 13, state: 'queued', word: 'PENDING' },
      { jobId: 15, state: 'running', word: 'RUNNING' },
      { jobId: 16, state: 'unknown', word: 'NEW_WORD' },
    ]);
  });

  it('the reply of squeue says when a job was submitted or requeued, where it does', () => {
    const jobs = parseJobs('1_4|PENDING|N/A|0:00|1|2026-11-24T05:35:19|\n16|RUNNING|N/A|0:09|16||\n');
    expect(jobs.map(({ submittedAtMs }) => submittedAtMs)).toEqual([
      new Date('2026-11-24T05:35:19').getTime(),
      undefined,
    ]);
  });

  it('the reply of squeue is empty if the controller knows no job, and refused if it is no list of jobs', () => {
    expect(parseJobs('\n')).toEqual([]);
    expect(() => parseJobs('slurm is away today\n')).toThrow('no line of the form that it was asked for');
  });

  it('squeue is asked for whole arrays, and a job that it has forgotten is no failure of the question', async () => {
    const asked: string[] = [];
    const jobs = async (stderr: string) => {
      const ask = (program: string, args: readonly string[]) => {
        asked.push([program, ...args.slice(0, 5)].join(' '));
        return Promise.reject(new HelperFailed('squeue failed', { stderr }));
      };
      return openSqueue(ask).jobs(['7_1', '7_2', 9]);
    };
    expect(await jobs('slurm_load_jobs error: Invalid job id specified')).toEqual([]);
    await expect(jobs('Unable to contact slurm controller')).rejects.toThrow('squeue failed');
    expect(asked[0]).toBe('squeue -hr -t all -j 7,9');
  });
});

test.each([
  ['42|2026-11-21T16:30:00\n', '2026-11-21T16:30:00'],
  // The task whose id is that of its array.
  ['44|2026-11-21T16:30:09\n42|2026-11-21T16:30:00\n43|NONE', '2026-11-21T16:30:00'],
  ['2026-11-21T16:30:00', '2026-11-21T16:30:00'],
])('the time of job 42 is read from the lines %j of squeue', (text, expected) => {
  expect(parseTimeOf(42, text)).toBe(Date.parse(expected));
});

it('the lines of squeue name the steps of jobs, without those of the allocation itself', () => {
  const ids = parseStepIds('12.2|wf42_j7_r1_a1\n12.10|wf42_j8_r1_a1\n12.batch|batch\n12.extern|extern\n', 12);
  expect([...ids]).toEqual([
    ['wf42_j7_r1_a1', '12.2'],
    ['wf42_j8_r1_a1', '12.10'],
  ]);
});

it('the lines of squeue name the steps of an array task by the array, and its own steps are found by the id of its job', () => {
  // squeue --steps -h -j 19 -o '%i|%j', Slurm 22.05.8, one-node test cluster, 2026-11-23.
  expect([...parseStepIds('17_1.0|wf42_j7_r1_a1\n17_1.batch|batch\n', 19)]).toEqual([['wf42_j7_r1_a1', '19.0']]);
});

it.each([parseScripts, (text: string) => parseStepIds(text, 12), (text: string) => parseTimeOf(12, text)])(
  'any text is read, or refused as an answer: %o',
  (parse) => {
    fc.assert(fc.property(fc.string(), (text) => isReadOrRefused(() => parse(text))));
  },
);
