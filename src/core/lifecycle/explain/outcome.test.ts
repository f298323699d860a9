import { describe, expect, it } from 'vitest';
import { jobStatuses } from '../../job/job-statuses.ts';
import { exactPartText, outcomeOf, outcomeRecord, outcomeParts, partText } from './outcome.ts';

const exact = (counts: Parameters<typeof outcomeParts>[0]) => outcomeParts(counts).map(exactPartText);

describe('what became of jobs', () => {
  it('failed, stopped, running and not run are numbers of their own, and a claim is no run', () => {
    const counts = {
      completed: 1,
      failed: 2,
      terminated: 3,
      canceled: 4,
      running: 5,
      pending: 6,
      ready: 7,
      disabled: 8,
    };
    expect(outcomeOf(counts)).toEqual({ completed: 1, failed: 2, stopped: 7, running: 5, notRun: 13 });
    expect(outcomeRecord(counts)).toEqual({ completed: 1, failed: 2, stopped: 7, running: 5, not_run: 13 });
  });

  it('each job but the disabled ones is in one of the numbers', () => {
    const counts = Object.fromEntries(jobStatuses.map((status) => [status, 1]));
    const sum = Object.values(outcomeOf(counts)).reduce((jobs, each) => jobs + each, 0);
    expect(sum).toBe(jobStatuses.length - 1);
  });

  it('a number that is 0 is left out', () => {
    expect(outcomeParts({ completed: 1204, failed: 0 }).map(partText)).toEqual(['1,204 completed']);
    expect(outcomeParts({ disabled: 3 })).toEqual([]);
  });

  it('a number says what its jobs are more exactly, with numbers where they differ', () => {
    expect(exact({ terminated: 1, canceled: 3 })).toEqual(['4 stopped (1 terminated, 3 canceled)']);
    expect(exact({ canceled: 3 })).toEqual(['3 stopped (canceled)']);
    expect(exact({ ready: 2, pending: 1, blocked: 3 })).toEqual(['6 not run (2 ready, 3 blocked, 1 about to start)']);
  });

  it('a job that waits for a decision has failed, and the number says so', () => {
    expect(exact({ failed: 2, pending_failed: 1 })).toEqual(['3 failed (1 waiting for a decision)']);
    expect(exact({ pending_failed: 1 })).toEqual(['1 failed (waiting for a decision)']);
    expect(exact({ failed: 2 })).toEqual(['2 failed']);
  });
});
