import { describe, expect, it, test } from 'vitest';
import { type JobStatusCounts, jobStatuses } from '../../../core/contract/job.ts';
import type { RunEnding } from '../../../runner/facts/options.ts';
import { nextStep, shortfalls, thisRun } from './shortfalls.ts';

const counts = (some: Partial<JobStatusCounts>): JobStatusCounts => ({
  ...(Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts),
  ...some,
});
const ran = (completed: number, failed = 0, terminated = 0) => ({ completed, failed, terminated });

describe('what a run falls short of', () => {
  const short = (ending: RunEnding, some: Partial<JobStatusCounts>) => shortfalls({ ending, counts: counts(some) });

  it('what a run falls short of is nothing where every job completed, or is disabled', () => {
    expect(short('complete', { completed: 3, disabled: 2 })).toEqual([]);
  });

  it('what a run falls short of is every job that failed or was stopped, with one word each', () => {
    expect(short('complete', { completed: 1, failed: 2, terminated: 1, canceled: 3 })).toEqual([
      '2 failed',
      '4 stopped',
    ]);
  });

  it('what a run falls short of is also every job that had not finished when the runner left', () => {
    expect(short('idle', { ready: 2, running: 1, blocked: 3 })).toEqual(['1 running', '5 not run']);
  });
});

test.each<[RunEnding, Partial<JobStatusCounts>, string | undefined]>([
  ['stopped', { completed: 1, terminated: 1, blocked: 2 }, '--resume'],
  ['stopped', { completed: 3 }, undefined],
  ['stopped', { failed: 1 }, '--retry-failed'],
  ['canceled', { canceled: 2 }, '--resume'],
  ['deadline', { terminated: 1 }, '--resume'],
  ['deadline', { completed: 1 }, undefined],
  ['complete', { completed: 1 }, undefined],
  ['complete', { failed: 1, canceled: 2 }, '--retry-failed'],
  ['complete', { terminated: 1, canceled: 2 }, '--resume'],
  ['stuck', { uninitialized: 1 }, '--resume'],
  ['stuck', { pending_failed: 1, blocked: 1 }, '--retry-failed'],
  ['stuck', { blocked: 1 }, undefined],
  ['idle', { ready: 1 }, undefined],
])('after a run that ended as %s with %j the next option is %s', (ending, some, flag) => {
  expect(nextStep({ ending, counts: counts(some) })?.flag).toBe(flag);
});

describe('what this run did', () => {
  const words = (before: Partial<JobStatusCounts>, after: Partial<JobStatusCounts>, tally = ran(0)) =>
    thisRun({ counts: counts(after), countsAtStart: counts(before), tally });

  it('what this run did is not said of a first run on one runner, where the counts say it', () => {
    expect(words({ ready: 3 }, { completed: 3 }, ran(3))).toBeUndefined();
  });

  it('only jobs whose files were looked at are up to date, and those that are not are out of date', () => {
    const summary = { counts: counts({ completed: 4 }), countsAtStart: counts({ completed: 4 }), tally: ran(0) };
    expect(thisRun(summary)).toBe('nothing to run: 4 completed earlier');
    expect(thisRun(summary, 0)).toBe('nothing to run: 4 up to date');
    expect(thisRun(summary, 3)).toBe('nothing to run: 1 up to date, 3 out of date');
    expect(thisRun(summary, 4)).toBe('nothing to run: 4 out of date');
  });

  it('what this run did is counted apart from what completed earlier', () => {
    expect(words({ completed: 6, ready: 3 }, { completed: 9 }, ran(3))).toBe('this run: 3 ran, 6 completed earlier');
  });

  it('what this run did is nothing where jobs failed earlier and nothing is left', () => {
    expect(words({ failed: 20 }, { failed: 20 })).toBe('nothing to run: 20 failed earlier');
    expect(words({ completed: 4 }, { completed: 4 })).toBe('nothing to run: 4 completed earlier');
  });

  it('what this run did does not count what other runners did meanwhile', () => {
    expect(words({ ready: 5 }, { completed: 5 }, ran(2))).toBe('this run: 2 ran, 3 ran on other runners');
  });

  it('what this run did counts a job once that was canceled earlier and ran on another runner meanwhile', () => {
    expect(words({ completed: 1, canceled: 1 }, { completed: 2 })).toBe(
      'this run: 0 ran, 1 ran on other runners, 1 completed earlier',
    );
    expect(words({ canceled: 2 }, { completed: 1, canceled: 1 })).toBe(
      'this run: 0 ran, 1 ran on other runners, 1 stopped earlier',
    );
  });

  it('what this run did is not called nothing to run while jobs are left', () => {
    expect(words({ completed: 2, ready: 1 }, { completed: 2, ready: 1 })).toBe('this run: 0 ran, 2 completed earlier');
  });
});
