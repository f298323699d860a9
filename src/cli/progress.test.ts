import { describe, expect, it, test } from 'vitest';
import type { JobStatusCounts } from '../core/contract/job.ts';
import { progressText } from './progress.ts';

const none: JobStatusCounts = {
  uninitialized: 0,
  blocked: 0,
  ready: 0,
  pending: 0,
  running: 0,
  completed: 0,
  failed: 0,
  canceled: 0,
  terminated: 0,
  disabled: 0,
  pending_failed: 0,
};

const text = (counts: Partial<JobStatusCounts>, rate = 0, elapsedSeconds = 10) =>
  progressText({ counts: { ...none, ...counts }, runningHere: 0, endsPerSecond: 0 }, rate, elapsedSeconds);

describe('how far a run is', () => {
  it('is told by what is done, running, failed and left, how fast it goes, and how long that takes', () => {
    expect(text({ completed: 1204, running: 2, failed: 3, ready: 8880 }, 1480)).toBe(
      '1,204 done · 2 running · 3 failed · 8,880 left · 1,480/s · 6.0s to go · 10.0s so far',
    );
  });

  it('says nothing of failed and canceled jobs where there are none', () => {
    expect(text({ completed: 1, ready: 1 })).toBe('1 done · 0 running · 1 left · 10.0s so far');
  });

  it('counts what was terminated as failed, and canceled jobs by themselves', () => {
    expect(text({ failed: 1, terminated: 2, canceled: 4 })).toBe(
      '0 done · 0 running · 3 failed · 4 canceled · 0 left · 10.0s so far',
    );
  });

  test.each(['ready', 'pending', 'blocked', 'uninitialized', 'pending_failed'] as const)(
    'a job that is %s is left',
    (status) => {
      expect(text({ [status]: 7 })).toContain('7 left');
    },
  );

  it('promises no end while nothing ends', () => {
    expect(text({ running: 1, ready: 10 }, 0)).toBe('0 done · 1 running · 10 left · 10.0s so far');
    expect(text({ running: 1, ready: 10 }, 0.04)).not.toMatch(/\/s|to go/);
  });

  it('promises no end either when nothing is left to end', () => {
    expect(text({ completed: 5 }, 2)).toBe('5 done · 0 running · 0 left · 2.0/s · 10.0s so far');
  });

  it('counts running jobs into the time to go', () => {
    expect(text({ running: 10, ready: 10 }, 2)).toContain('10 left · 2.0/s · 10.0s to go');
  });

  it.each([
    [0.25, '0.3/s'],
    [9.94, '9.9/s'],
    [10, '10/s'],
    [1480.4, '1,480/s'],
  ])('tells a rate of %d as %s', (rate, told) => {
    expect(text({ ready: 1 }, rate)).toContain(` · ${told} · `);
  });
});
