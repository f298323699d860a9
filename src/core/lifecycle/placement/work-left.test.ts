import { describe, expect, it, test } from 'vitest';
import { type JobStatusCounts, jobStatuses } from '../../contract/job.ts';
import type { JobKind, RunnerRoom } from './obstacles.ts';
import { hasWorkFor, outlookOf, type Standing } from './work-left.ts';

const counts = (some: Partial<JobStatusCounts>): JobStatusCounts => ({
  ...(Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts),
  ...some,
});
const running: Standing = {
  counts: counts({ running: 5, completed: 195 }),
  isCanceled: false,
  staysWhenComplete: false,
  isReleasing: false,
  addsJobs: false,
  executesAction: false,
  awaitsAction: false,
};

describe('what is left for runners while jobs run', () => {
  test.each<[string, Partial<Standing>]>([
    ['is decided by the kinds of jobs that are left', {}],
    [
      'is not changed by jobs that have failed, or wait for a decision',
      { counts: counts({ running: 1, failed: 2, pending_failed: 3 }) },
    ],
  ])('what is left for runners while jobs run %s', (_, change) => {
    expect(outlookOf({ ...running, ...change })).toBe('kinds');
  });

  test.each<[string, Partial<Standing>]>([
    ['jobs were never initialized', { counts: counts({ running: 1, uninitialized: 1 }) }],
    ['no job was added yet', { counts: counts({}) }],
    ['the server still releases jobs', { isReleasing: true }],
    ['running jobs may add jobs', { addsJobs: true }],
    ['an action is being executed', { executesAction: true }],
    ['an action waits for jobs and may create some', { awaitsAction: true }],
    ['runners have to stay when the workflow is complete', { staysWhenComplete: true }],
  ])('what is left for runners while jobs run may be anything where %s', (_, change) => {
    expect(outlookOf({ ...running, ...change })).toBe('anything');
  });
});

describe('what is left for runners where no job is ready or runs', () => {
  const over = { ...running, counts: counts({ blocked: 3, completed: 2 }) };

  it('nothing is left for runners where no job is ready or runs: blocked jobs wait for ever, and no running job adds any', () => {
    expect(outlookOf({ ...over, addsJobs: true, awaitsAction: true })).toBe('nothing');
    expect(outlookOf({ ...running, isCanceled: true })).toBe('nothing');
  });

  it('anything may be left for runners where no job is ready or runs, while the server releases jobs or an action is executed', () => {
    expect(outlookOf({ ...over, isReleasing: true })).toBe('anything');
    expect(outlookOf({ ...over, executesAction: true })).toBe('anything');
    expect(outlookOf({ ...over, staysWhenComplete: true })).toBe('anything');
  });
});

describe('a runner has work', () => {
  const room: RunnerRoom = {
    labels: [],
    schedulerId: 1,
    isStrict: false,
    countsJobs: false,
    cpus: 4,
    memoryBytes: 2 ** 30,
    gpus: 0,
    nodes: 1,
    time: { leftSeconds: 600, usableSeconds: 600, claimableSeconds: 720 },
  };
  const need = { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 };
  const kind: JobKind = { labels: [], schedulerId: 1, need };

  it('a runner has work if it can take a job of one kind that is left, and if anything may come', () => {
    expect(hasWorkFor([{ ...kind, labels: ['gpu'] }, kind], [room])).toBe(true);
    expect(hasWorkFor('anything', [room])).toBe(true);
  });

  it('a runner has no work if nothing is left, or only jobs that it can never take', () => {
    expect(hasWorkFor([], [room])).toBe(false);
    expect(
      hasWorkFor(
        [
          { ...kind, labels: ['gpu'] },
          { ...kind, need: { ...need, num_cpus: 8 } },
        ],
        [room],
      ),
    ).toBe(false);
    expect(hasWorkFor([{ ...kind, need: { ...need, runtime_seconds: 7200 } }], [room])).toBe(false);
  });

  it('a runner has no work if only jobs of another scheduler are left and it takes those of its own alone', () => {
    const other = { ...kind, schedulerId: 2 };
    expect(hasWorkFor([other], [{ ...room, isStrict: true }])).toBe(false);
    expect(hasWorkFor([other], [room])).toBe(true);
  });
});
