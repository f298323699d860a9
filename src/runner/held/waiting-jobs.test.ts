import { describe, expect, it, vi } from 'vitest';
import type { AheadJob, ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import { createJobStates } from './job-states.ts';
import { createWaitingJobs, parentOf } from './waiting-jobs.ts';

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
function waitingJobs({ hasTimeFor = (): boolean => true } = {}) {
  const returned = vi.fn();
  const outbox = { returned, unreported: (): Completion[] => [] };
  const jobs = createJobStates();
  return { jobs, waiting: createWaitingJobs({ outbox, jobs, hasTimeFor }), returned };
}
const claimed = (...jobs: AheadJob[]) => ({ jobs, rest: [], settled: [] });

describe('the jobs that a runner holds and has not started', () => {
  it('a job that was claimed ahead waits for a slot when its parent has completed, and not before', () => {
    const { jobs, waiting, returned } = waitingJobs();
    waiting.take([jobOf(1)], claimed(aheadOf(2, 1)));
    expect([jobs.queue.length, waiting.ahead, waiting.hasFreed()]).toEqual([1, 1, false]);
    waiting.over(1, true);
    expect([jobs.queue.length, waiting.ahead, waiting.hasFreed(), waiting.hasFreed()]).toEqual([2, 0, true, false]);
    expect(returned).not.toHaveBeenCalled();
  });

  it('all that waits for a job is given back when the job does not complete here', () => {
    const { waiting, returned } = waitingJobs();
    waiting.take([jobOf(1)], claimed(aheadOf(2, 1), aheadOf(3, 2)));
    waiting.over(1, false);
    expect(returned.mock.calls).toEqual([[[2, 3]]]);
    expect(waiting.ahead).toBe(0);
  });

  it('a job that became free is given back, with those that wait for it, if no time is left for it', () => {
    const { waiting, returned } = waitingJobs({ hasTimeFor: () => false });
    waiting.take([jobOf(1)], claimed(aheadOf(2, 1), aheadOf(3, 2)));
    waiting.over(1, true);
    expect(returned.mock.calls).toEqual([[[2, 3]]]);
    expect(waiting.hasFreed()).toBe(false);
  });

  it('a job that is held is not taken a second time, another attempt of it is', () => {
    const { jobs, waiting } = waitingJobs();
    waiting.take([jobOf(1)], undefined);
    waiting.take([jobOf(1), { ...jobOf(1), attempt_id: 2 }], undefined);
    expect(jobs.queue.length).toBe(2);
  });

  it('closing gives back everything, and what becomes free later, until it is opened again', () => {
    const { jobs, waiting, returned } = waitingJobs();
    waiting.take([jobOf(1)], { ...claimed(aheadOf(2, 1)), rest: [1], settled: [1] });
    waiting.close();
    expect(returned.mock.calls).toEqual([[[1, 2]]]);
    expect([waiting.isOpen, [...jobs.ids(), ...waiting.aheadIds()], waiting.after, waiting.endsQuietly(1)]).toEqual([
      false,
      [],
      [],
      false,
    ]);
    waiting.open();
    expect(waiting.isOpen).toBe(true);
  });

  it('the end of a job is quiet if the server said so, and this is passed on once', () => {
    const { waiting } = waitingJobs();
    waiting.take([jobOf(1)], { ...claimed(), settled: [1] });
    expect([waiting.endsQuietly(1), waiting.endsQuietly(1), waiting.endsQuietly(2)]).toEqual([true, false, false]);
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
