import { describe, expect, it } from 'vitest';
import { type JobStatusCounts, jobStatuses } from '../../core/contract/job.ts';
import { prospectOf, type ProspectFacts } from './prospect.ts';

const counts = (some: Partial<JobStatusCounts>): JobStatusCounts => ({
  ...(Object.fromEntries(jobStatuses.map((status) => [status, 0])) as JobStatusCounts),
  ...some,
});

/** A runner of two CPUs, alone with two jobs of 64. */
const sole = {
  counts: counts({ ready: 2 }),
  left: {
    workflow_id: 1,
    compute_node_ids: [1],
    ready_jobs: 2,
    unclaimable_jobs: 2,
    reasons: [{ reason: 'cpus', jobs: 2, job_id: 7, job_name: 'wide', needs: '64 CPUs', has: '2 CPUs' }],
    may_take: false,
    unneeded_allocations: [],
  },
  status: { active_compute_nodes: 1, pending_scheduled_nodes: 0 },
  isLong: false,
  othersMayCome: true,
  stays: false,
} satisfies ProspectFacts;
const kind = (change: Partial<ProspectFacts>) => prospectOf({ ...sole, ...change }).kind;

describe('an idle runner that was handed none of the ready jobs', () => {
  it('an idle runner that was handed none of the ready jobs leaves when it is alone and can take none of them, however long it stays, and says why', () => {
    expect(prospectOf(sole)).toEqual({
      kind: 'leave',
      reason: 'this runner can take none of the jobs that are ready, and no other runner is there',
      isProven: false,
    });
    expect(prospectOf({ ...sole, stays: true })).toEqual({
      kind: 'report',
      words:
        'this runner can take none of the 2 jobs that are ready: 2 ready jobs need more CPUs than the runner has: wide (job 7) needs 64 CPUs, it has 2 CPUs',
    });
  });

  it('an idle runner that was handed none of the ready jobs waits when it can take one of them: the job may wait for an attempt that has not ended', () => {
    expect(kind({ left: { ...sole.left, unclaimable_jobs: 1, may_take: true } })).toBe('wait');
  });

  it('an idle runner that was handed none of the ready jobs waits while jobs run elsewhere, which may make jobs ready that it can take', () => {
    expect(kind({ counts: counts({ ready: 2, running: 1 }) })).toBe('wait');
    expect(kind({ counts: counts({ ready: 2, pending: 1 }) })).toBe('wait');
  });

  it('an idle runner that was handed none of the ready jobs stays and says so when another runner is there or an allocation waits', () => {
    expect(kind({ status: { ...sole.status, active_compute_nodes: 2 } })).toBe('report');
    expect(kind({ status: { ...sole.status, pending_scheduled_nodes: 1 } })).toBe('report');
  });

  it('an idle runner that was handed none of the ready jobs stays and says so when its options say that it stays', () => {
    expect(kind({ stays: true })).toBe('report');
  });

  describe('while jobs that are not ready yet may be ones that it can take', () => {
    const later = { counts: counts({ ready: 2, blocked: 3 }), left: { ...sole.left, may_take: true } };

    it('an idle runner stays on a server of others, where a larger runner may be about to start', () => {
      expect(kind(later)).toBe('report');
    });

    it('an idle runner leaves on a server that was started for it, where no other runner can come', () => {
      expect(kind({ ...later, othersMayCome: false })).toBe('leave');
    });
  });
});

describe('an idle runner in an allocation that had no job for a while', () => {
  const long: Partial<ProspectFacts> = { isLong: true, counts: counts({ running: 5, blocked: 2, completed: 193 }) };
  const none = { ...sole.left, ready_jobs: 0, unclaimable_jobs: 0, reasons: [] };

  it('an idle runner in an allocation leaves when no job is left or to come that it could take, while others run, and says what is left', () => {
    expect(prospectOf({ ...sole, ...long, left: none, status: undefined })).toEqual({
      kind: 'leave',
      reason: 'no job is left or to come that this runner could take: 5 elsewhere, 2 blocked for others',
      isProven: true,
    });
    expect(kind({ ...long, counts: counts({ ready: 2, running: 1 }) })).toBe('leave');
  });

  it('an idle runner in an allocation waits when a job may come that it can take, when its options say that it stays, and before the idle time is over', () => {
    expect(kind({ ...long, left: { ...none, may_take: true } })).toBe('wait');
    expect(kind({ ...long, left: none, stays: true })).toBe('wait');
    expect(kind({ ...long, left: none, isLong: false })).toBe('wait');
  });
});
