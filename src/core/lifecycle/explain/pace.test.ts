import { describe, expect, it, test } from 'vitest';
import { type JobStatusCounts, jobStatuses } from '../../contract/job.ts';
import { firstPace, nextPace, progressText, rateOf, reliableRate } from './pace.ts';

const none = Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts;

const text = (counts: Partial<JobStatusCounts>, rate = 0) => progressText({ ...none, ...counts }, rate);
const completed = (jobs: number): JobStatusCounts => ({ ...none, completed: jobs });

describe('the rate of a run', () => {
  it('the rate counts after ten ends, because fewer say nothing about the next ones', () => {
    expect(reliableRate(9.6, 9, 0.1)).toBe(0);
    expect(reliableRate(9.6, 10, 0.1)).toBe(9.6);
  });

  it('the rate counts no longer when more than three ends are overdue: a long job follows short ones', () => {
    expect(reliableRate(10, 100, 0.3)).toBe(10);
    expect(reliableRate(10, 100, 0.4)).toBe(0);
    expect(reliableRate(0.1, 100, 25)).toBe(0.1);
  });

  it('the rate follows the ends between two looks, and is smoothed over some seconds', () => {
    const first = firstPace(completed(0), 0);
    expect(rateOf(first, 0)).toBe(0);
    const second = nextPace(first, completed(20), 1000);
    expect(rateOf(second, 1000)).toBe(20);
    const third = nextPace(second, completed(60), 2000);
    expect(third.rate).toBeGreaterThan(20);
    expect(third.rate).toBeLessThan(40);
  });

  it('the rate of the first look comes from earlier ends, if at least ten are known', () => {
    const times = Array.from({ length: 11 }, (_, at) => at * 500);
    expect(rateOf(firstPace(completed(11), 5_100, times), 5_100)).toBe(2);
    expect(rateOf(firstPace(completed(9), 5_100, times.slice(0, 9)), 5_100)).toBe(0);
    expect(rateOf(firstPace(completed(11), 60_000, times), 60_000)).toBe(0);
  });

  it('jobs that are reset are no ends, and the rate does not become negative', () => {
    const pace = nextPace(firstPace(completed(50), 0), completed(10), 1000);
    expect(pace).toMatchObject({ rate: 0, ended: 10 });
  });
});

describe('the progress of a run', () => {
  it('the progress shows completed, running, failed and remaining jobs, their rate, and the time left', () => {
    expect(text({ completed: 1204, running: 2, failed: 3, ready: 8880 }, 1480)).toBe(
      '1,204 completed · 2 running · 3 failed · 8,880 not run · 1,480/s · 6.0s to go',
    );
  });

  it('the progress does not mention failed and stopped jobs if there are none', () => {
    expect(text({ completed: 1, ready: 1 })).toBe('1 completed · 0 running · 1 not run');
  });

  it('the progress counts terminated and canceled jobs as stopped, and failed ones apart', () => {
    expect(text({ failed: 1, terminated: 2, canceled: 4 })).toBe(
      '0 completed · 0 running · 1 failed · 6 stopped · 0 not run',
    );
  });

  test.each(['ready', 'pending', 'blocked', 'uninitialized'] as const)(
    'a job that is %s counts as not run',
    (status) => {
      expect(text({ [status]: 7 })).toContain('7 not run');
    },
  );

  it('the progress has no time left while no job ends', () => {
    expect(text({ running: 1, ready: 10 }, 0)).toBe('0 completed · 1 running · 10 not run');
    expect(text({ running: 1, ready: 10 }, 0.04)).not.toMatch(/\/s|to go/);
  });

  it('the progress has no time left when no job remains', () => {
    expect(text({ completed: 5 }, 2)).toBe('5 completed · 0 running · 0 not run · 2.0/s');
  });

  it('the progress includes running jobs in the time left', () => {
    expect(text({ running: 10, ready: 10 }, 2)).toContain('10 not run · 2.0/s · 10.0s to go');
  });

  it.each([
    [0.25, '0.3/s'],
    [9.94, '9.9/s'],
    [10, '10/s'],
    [1480.4, '1,480/s'],
  ])('a rate of %d is shown as %s', (rate, shown) => {
    expect(text({ ready: 1 }, rate)).toContain(` · ${shown} · `);
  });
});
