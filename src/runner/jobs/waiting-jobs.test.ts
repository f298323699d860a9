import { describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Lease } from '../claim/capacity.ts';
import { createWaitingJobs } from './waiting-jobs.ts';

const job = (id: number, priority = 0, cpus = 1) =>
  ({ id, attempt_id: 1, name: `job${id}`, priority, need: { num_cpus: cpus } }) as unknown as ClaimedJob;
const ids = (jobs: readonly ClaimedJob[]) => jobs.map(({ id }) => id);
const LEASE = {} as Lease;

function waiting() {
  let nowMs = 0;
  const jobs = createWaitingJobs(() => nowMs);
  const startWith = (isLeased: (id: number) => boolean, more: (id: number) => boolean = () => true) => {
    const started: number[] = [];
    jobs.startFitting({
      isFull: () => false,
      lease: ({ id }) => (isLeased(id) ? LEASE : undefined),
      start({ id }) {
        started.push(id);
        return more(id);
      },
    });
    return started;
  };
  return { jobs, startWith, pass: (ms: number) => void (nowMs += ms) };
}

describe('jobs that wait for a slot', () => {
  it('jobs start in their order, and those without a lease stay in their places', () => {
    const { jobs, startWith } = waiting();
    jobs.add([1, 2, 3, 4].map((id) => job(id)));
    expect(startWith((id) => id % 2 === 0)).toEqual([2, 4]);
    expect(ids(jobs.jobs())).toEqual([1, 3]);
  });

  it('no other job starts after one that could not, and that one is the first the next time', () => {
    const { jobs, startWith } = waiting();
    jobs.add([1, 2, 3].map((id) => job(id)));
    const failing = (id: number) => {
      jobs.putBack(job(id));
      return false;
    };
    expect(startWith(() => true, failing)).toEqual([1]);
    expect(ids(jobs.jobs())).toEqual([1, 2, 3]);
  });

  it('no job is asked for once nothing is free', () => {
    const { jobs } = waiting();
    jobs.add([job(1)]);
    const asked: number[] = [];
    jobs.startFitting({ isFull: () => true, lease: ({ id }) => void asked.push(id) as undefined, start: () => true });
    expect([asked, jobs.size]).toEqual([[], 1]);
  });

  it('a job that was claimed ahead goes before those of lower priority, and behind the others', () => {
    const { jobs } = waiting();
    jobs.add([job(1, 5), job(2, 1), job(3, 0)]);
    jobs.addFreed(job(4, 1));
    jobs.addFreed(job(5, 9));
    jobs.addFreed(job(6));
    expect(ids(jobs.jobs())).toEqual([5, 1, 2, 4, 3, 6]);
  });

  it('those that wait for long, those that were claimed ahead, and all are taken out, and no others', () => {
    const { jobs, pass } = waiting();
    jobs.add([job(1)]);
    pass(1_000);
    jobs.add([job(2)]);
    jobs.addFreed(job(3));
    pass(500);
    expect(ids(jobs.takeOlderThan(2_000))).toEqual([]);
    expect(ids(jobs.takeOlderThan(1_000))).toEqual([1]);
    expect(ids(jobs.takeFreed())).toEqual([3]);
    expect(ids(jobs.clear())).toEqual([2]);
    expect(jobs.size).toBe(0);
  });
});
