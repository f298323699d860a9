import { describe, expect, it } from 'vitest';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Lease } from '../claim/capacity.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { createJobStates, type JobStates, type QueuedJob, type PlacedAttempt } from './job-states.ts';

const job = (id: number, priority = 0, cpus = 1) =>
  ({ id, attempt_id: 1, name: `job${id}`, priority, need: { num_cpus: cpus } }) as unknown as ClaimedJob;
const ids = (jobs: readonly ClaimedJob[]) => jobs.map(({ id }) => id);
const queued = (queue: readonly QueuedJob[]) => queue.map((each) => each.job);
const add = (jobs: JobStates, ...all: ClaimedJob[]) => {
  for (const each of all) jobs.enqueue(each, 'last');
};
const LEASE = {} as Lease;

function waiting() {
  let nowMs = 0;
  const jobs = createJobStates(() => nowMs);
  const startWith = (isLeased: (id: number) => boolean, more: (id: number) => boolean = () => true) => {
    const started: number[] = [];
    jobs.startFitting({
      isFull: () => false,
      lease: ({ id }) => (isLeased(id) ? LEASE : undefined),
      start({ job: { id } }) {
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
    add(jobs, job(1), job(2), job(3), job(4));
    expect(startWith((id) => id % 2 === 0)).toEqual([2, 4]);
    expect(ids(queued(jobs.queue))).toEqual([1, 3]);
  });

  it('no other job starts after one that could not, and that one is the first the next time', () => {
    const { jobs, startWith } = waiting();
    add(jobs, job(1), job(2), job(3));
    const failing = (id: number) => {
      jobs.enqueue(job(id), 'first');
      return false;
    };
    expect(startWith(() => true, failing)).toEqual([1]);
    expect(ids(queued(jobs.queue))).toEqual([1, 2, 3]);
  });

  it('no job is asked for once nothing is free', () => {
    const { jobs } = waiting();
    add(jobs, job(1));
    const asked: number[] = [];
    jobs.startFitting({ isFull: () => true, lease: ({ id }) => void asked.push(id) as undefined, start: () => true });
    expect([asked, jobs.queue.length]).toEqual([[], 1]);
  });

  it('a job that was claimed ahead goes before those of lower priority, and behind the others', () => {
    const { jobs } = waiting();
    add(jobs, job(1, 5), job(2, 1), job(3, 0));
    for (const each of [job(4, 1), job(5, 9), job(6)]) jobs.enqueue(each, 'freed');
    expect(ids(queued(jobs.queue))).toEqual([5, 1, 2, 4, 3, 6]);
  });

  it('those that wait for long, those that were claimed ahead, and all are taken out, and no others', () => {
    const { jobs, pass } = waiting();
    add(jobs, job(1));
    pass(1_000);
    add(jobs, job(2));
    jobs.enqueue(job(3), 'freed');
    pass(500);
    expect(ids(jobs.dequeue(({ sinceMs }) => sinceMs < 0))).toEqual([]);
    expect(ids(jobs.dequeue(({ sinceMs }) => sinceMs < 500))).toEqual([1]);
    expect(ids(jobs.dequeue(({ isFreed }) => isFreed))).toEqual([3]);
    expect(ids(jobs.dequeue(() => true))).toEqual([2]);
    expect(jobs.queue.length).toBe(0);
  });
});

/** Jobs that were started, by their ids. */
function started() {
  const jobs = createJobStates();
  const start = (id: number, before?: PlacedAttempt) =>
    jobs.start({ job: job(id), step: { id: `s${id}`, about: {} } } as Attempt, LEASE, before);
  return { jobs, start };
}

describe('the state of a job that a runner holds', () => {
  it('a job that was sent ahead runs when those before it have ended, and the last in a place frees it', () => {
    const { jobs, start } = started();
    const first = start(1);
    const second = start(2, first);
    const third = start(3, second);
    expect([first.state, second.state, third.state, jobs.sentAhead]).toEqual([
      'running',
      'sent ahead',
      'sent ahead',
      2,
    ]);
    expect([jobs.end(second), third.state]).toEqual([false, 'sent ahead']);
    expect([jobs.end(first), third.state]).toEqual([false, 'running']);
    expect([jobs.end(third), jobs.sentAhead, jobs.running.size]).toEqual([true, 0, 0]);
  });

  it('a job counts from its start until it is settled, whatever is awaited', () => {
    const { jobs, start } = started();
    const one = start(1);
    jobs.end(one);
    expect([one.state, jobs.underWay, jobs.has(1)]).toEqual(['ended', 1, true]);
    jobs.settle(one);
    expect([one.state, jobs.underWay, jobs.ids()]).toEqual(['settling', 1, [1]]);
    jobs.drop(one);
    expect([one.state, jobs.underWay, jobs.has(1)]).toEqual(['gone', 0, false]);
  });

  it('a job that is kept for the next life of the allocation is listed, and the runner does not wait for it', () => {
    const { jobs, start } = started();
    const one = start(1);
    jobs.end(one);
    jobs.keep(one);
    jobs.drop(one);
    expect([jobs.hasKept, jobs.ids(), jobs.underWay]).toEqual([true, [1], 0]);
  });

  it('no step is left out, and none is made twice', () => {
    const { jobs, start } = started();
    const one = start(1);
    expect(() => jobs.settle(one)).toThrow('Job 1 is running and cannot become settling.');
    expect(() => jobs.drop(one)).toThrow('cannot become gone');
    jobs.end(one);
    expect(() => jobs.end(one)).toThrow('Job 1 is ended and cannot become ended.');
    jobs.drop(one);
    expect(() => jobs.settle(one)).toThrow('Job 1 is gone and cannot become settling.');
  });
});
