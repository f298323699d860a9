import { describe, expect, it, test } from 'vitest';
import { jobOfAllocation, jobsOfId, wholeJobs } from './slurm-job.ts';

describe('the job of an allocation in Slurm', () => {
  it('an allocation that is a task of a job array is named by array and task, also after it got an id of its own', () => {
    expect(jobOfAllocation({ scheduler_id: 34, array_job_id: 34, array_task_id: 3 })).toBe('34_3');
    expect(jobOfAllocation({ scheduler_id: 37, array_job_id: 34, array_task_id: 0 })).toBe('34_0');
  });

  it('an allocation that is a job of its own is named by its id', () => {
    expect(jobOfAllocation({ scheduler_id: 37 })).toBe(37);
    expect(jobOfAllocation({ scheduler_id: 37, array_job_id: null, array_task_id: null })).toBe(37);
  });
});

test('squeue is asked for whole arrays, each once', () => {
  expect(wholeJobs([7, '34_3', '34_12', 34, 7])).toEqual([7, 34]);
});

test.each([
  ['37', [37]],
  ['34_3 ', ['34_3']],
  ['34_[3-5,9]', ['34_3', '34_4', '34_5', '34_9']],
  ['34_[0-8:4%2]', ['34_0', '34_4', '34_8']],
  ['34_[0-1,5%1]', ['34_0', '34_1', '34_5']],
  ['34_[3,5,7,...]', []],
  ['40+1', []],
  ['12.3', []],
  ['34_[9-3]', []],
  ['', []],
])('the id %j stands for the jobs %j', (text, jobs) => {
  expect(jobsOfId(text)).toEqual(jobs);
});
