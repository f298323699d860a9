import { describe, expect, it } from 'vitest';
import { parseAccountedJobs } from './sacct.ts';
import { parseJobs } from './squeue.ts';
import { notQueued, statesFrom } from './states.ts';

const queued = parseJobs(
  ['7_8|PENDING|N/A|0:00|7|', '7_1|CANCELLED|N/A|0:02|9|', '7_0|RUNNING|N/A|0:09|8|', '60|RUNNING|N/A|0:09|60|'].join(
    '\n',
  ),
);
const words = (wanted: readonly (number | string)[], said: Parameters<typeof statesFrom>[1]) =>
  [...statesFrom(wanted, said)].map(([job, { word }]) => [job, word]);

describe('the states of jobs', () => {
  it('the states of jobs are those of the controller, and of others those of the accounting', () => {
    const accounted = parseAccountedJobs(
      '61|nodes|NODE_FAIL|0:0|00:01:00|Unknown||61\n60|nodes|RUNNING|0:0|00:00:01|Unknown||60',
    );
    expect(words([60, 61, 62], { queued, accounted })).toEqual([
      [60, 'RUNNING'],
      [61, 'NODE_FAIL'],
    ]);
  });

  it('the states of jobs in an array are found by array and task, and by the id that a task got', () => {
    expect(words(['7_0', 8, '7_1', '7_8'], { queued, accounted: undefined })).toEqual([
      ['7_0', 'RUNNING'],
      [8, 'RUNNING'],
      ['7_1', 'CANCELLED'],
      ['7_8', 'PENDING'],
    ]);
  });

  it('a task that no program lists was canceled while it waited, if its array is known', () => {
    expect(words(['7_6', '9_6'], { queued, accounted: undefined })).toEqual([['7_6', 'CANCELLED']]);
    const late = parseAccountedJobs('7_[6-8]|nodes|PENDING|0:0|00:00:00|Unknown||7');
    expect(words(['7_6'], { queued, accounted: late })).toEqual([['7_6', 'CANCELLED']]);
    const accounted = parseAccountedJobs('9_0|nodes|COMPLETED|0:0|00:01:00|Unknown||10');
    expect(words(['9_6'], { queued: [], accounted })).toEqual([['9_6', 'CANCELLED']]);
  });

  it('nothing is concluded from silence about a job, a task of an unknown array, or where the controller could not be asked', () => {
    expect(words([63, '9_6'], { queued, accounted: [] })).toEqual([]);
    const accounted = parseAccountedJobs('7_0|nodes|RUNNING|0:0|00:01:00|Unknown||8');
    expect(words(['7_6'], { queued: undefined, accounted })).toEqual([]);
  });
});

it('the accounting is asked about the jobs that the controller does not list, by their whole arrays', () => {
  expect(notQueued([60, 61, '7_0', '7_6', '9_1', 8], queued)).toEqual([61, 7, 9]);
});
