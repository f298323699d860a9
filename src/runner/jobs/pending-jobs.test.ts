import { describe, expect, it, vi } from 'vitest';
import type { AheadJob, ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import { createPendingJobs, parentOf } from './pending-jobs.ts';
import { createUnderWay } from './under-way.ts';

const jobOf = (id: number): ClaimedJob => ({
  id,
  workflow_id: 7,
  name: `job ${id}`,
  command: 'true',
  attempt_id: 1,
  need: { num_cpus: 1, memory_bytes: 0, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});
const aheadOf = (id: number, ...waitsFor: number[]): AheadJob => ({ ...jobOf(id), waits_for: waitsFor });

/** The pending jobs of a runner whose slots are taken, and what it gives back. */
function pendingJobs({ hasTimeFor = (): boolean => true } = {}) {
  const returned = vi.fn();
  const outbox = { returned, unreported: (): Completion[] => [] };
  const pending = createPendingJobs({ outbox, underWay: createUnderWay(), hasTimeFor });
  return { pending, returned };
}
const claimed = (...jobs: AheadJob[]) => ({ jobs, rest: [], settled: [] });

describe('the jobs that a runner holds and has not started', () => {
  it('a job that was claimed ahead waits for a slot when its parent has completed, and not before', () => {
    const { pending, returned } = pendingJobs();
    pending.take([jobOf(1)], claimed(aheadOf(2, 1)));
    expect([pending.queued, pending.ahead, pending.hasFreed()]).toEqual([1, 1, false]);
    pending.over(1, true);
    expect([pending.queued, pending.ahead, pending.hasFreed(), pending.hasFreed()]).toEqual([2, 0, true, false]);
    expect(returned).not.toHaveBeenCalled();
  });

  it('all that waits for a job is given back when the job does not complete here', () => {
    const { pending, returned } = pendingJobs();
    pending.take([jobOf(1)], claimed(aheadOf(2, 1), aheadOf(3, 2)));
    pending.over(1, false);
    expect(returned.mock.calls).toEqual([[[2, 3]]]);
    expect(pending.ahead).toBe(0);
  });

  it('a job that became free is given back, with those that wait for it, if no time is left for it', () => {
    const { pending, returned } = pendingJobs({ hasTimeFor: () => false });
    pending.take([jobOf(1)], claimed(aheadOf(2, 1), aheadOf(3, 2)));
    pending.over(1, true);
    expect(returned.mock.calls).toEqual([[[2, 3]]]);
    expect(pending.hasFreed()).toBe(false);
  });

  it('a job that is held is not taken a second time, another attempt of it is', () => {
    const { pending } = pendingJobs();
    pending.take([jobOf(1)], undefined);
    pending.take([jobOf(1), { ...jobOf(1), attempt_id: 2 }], undefined);
    expect(pending.queued).toBe(2);
  });

  it('closing gives back everything, and what becomes free later, until it is opened again', () => {
    const { pending, returned } = pendingJobs();
    pending.take([jobOf(1)], { ...claimed(aheadOf(2, 1)), rest: [1], settled: [1] });
    pending.close();
    expect(returned.mock.calls).toEqual([[[1, 2]]]);
    expect([pending.isOpen, pending.ids(), pending.after, pending.endsQuietly(1)]).toEqual([false, [], [], false]);
    pending.open();
    expect(pending.isOpen).toBe(true);
  });

  it('the end of a job is quiet if the server said so, and this is passed on once', () => {
    const { pending } = pendingJobs();
    pending.take([jobOf(1)], { ...claimed(), settled: [1] });
    expect([pending.endsQuietly(1), pending.endsQuietly(1), pending.endsQuietly(2)]).toEqual([true, false, false]);
  });
});

describe('what became of a job that another waits for', () => {
  const ends = [
    { job_id: 1, status: 'failed' as const },
    { job_id: 1, status: 'completed' as const },
    { job_id: 2, status: 'failed' as const },
  ];
  it.each([
    ['held here', 1, true, 'open'],
    ['completed here last, and unreported', 1, false, 'completed'],
    ['failed here', 2, false, 'gone'],
    ['unknown here', 3, false, 'gone'],
  ] as const)('a job that is %s', (_words, id, isOpen, expected) => {
    expect(
      parentOf(
        id,
        () => isOpen,
        () => ends,
      ),
    ).toBe(expected);
  });
});
