import type { ClaimedJob } from '../../core/contract/exchange.ts';
import type { Lease } from '../claim/capacity.ts';

/** A job that waits for a slot. `isFreed`: it was claimed ahead, and what it waited for has completed. */
interface Waiting {
  readonly job: ClaimedJob;
  readonly sinceMs: number;
  readonly isFreed: boolean;
}

/** The jobs that a runner holds and that wait for a slot, in the order in which they start. */
export interface WaitingJobs {
  readonly size: number;
  jobs(): ClaimedJob[];
  /** Behind all others. */
  add(jobs: readonly ClaimedJob[]): void;
  /** A job that was claimed ahead and waits for nothing any more: before those of lower priority. */
  addFreed(job: ClaimedJob): void;
  /** Whether jobs were added by `addFreed` since the last call. */
  hasFreed(): boolean;
  /** Before all others: it could not start now. */
  putBack(job: ClaimedJob): void;
  /**
   * Takes out the jobs that get a lease, in order, and skips the others, until `start` says that no more can start or
   * `isFull` says that no other can get one.
   */
  startFitting(options: {
    readonly isFull: () => boolean;
    readonly lease: (job: ClaimedJob) => Lease | undefined;
    readonly start: (job: ClaimedJob, lease: Lease) => boolean;
  }): void;
  clear(): ClaimedJob[];
  /** Takes out these jobs. */
  take(isMeant: (job: ClaimedJob) => boolean): ClaimedJob[];
  /** Takes out the jobs that have waited for longer. */
  takeOlderThan(ageMs: number): ClaimedJob[];
  /** Takes out the jobs that were claimed ahead. */
  takeFreed(): ClaimedJob[];
}

/** `now`: milliseconds of a monotonic clock. */
export function createWaitingJobs(now: () => number): WaitingJobs {
  const queue: Waiting[] = [];
  let hasFreed = false;
  const take = (isMeant: (each: Waiting) => boolean): ClaimedJob[] => {
    const taken = queue.filter(isMeant);
    if (taken.length === 0) return [];
    const kept = queue.filter((each) => !isMeant(each));
    queue.length = 0;
    for (const each of kept) queue.push(each);
    return taken.map(({ job }) => job);
  };
  return {
    get size() {
      return queue.length;
    },
    jobs: () => queue.map(({ job }) => job),
    add(jobs) {
      const sinceMs = now();
      for (const job of jobs) queue.push({ job, sinceMs, isFreed: false });
    },
    addFreed(job) {
      const priority = job.priority ?? 0;
      const place = queue.findIndex((other) => (other.job.priority ?? 0) < priority);
      queue.splice(place === -1 ? queue.length : place, 0, { job, sinceMs: now(), isFreed: true });
      hasFreed = true;
    },
    hasFreed() {
      const had = hasFreed;
      hasFreed = false;
      return had;
    },
    putBack: (job) => void queue.unshift({ job, sinceMs: now(), isFreed: false }),
    startFitting({ isFull, lease, start }) {
      for (let index = 0; index < queue.length && !isFull();) {
        const { job } = queue[index] as Waiting;
        const granted = lease(job);
        if (granted === undefined) {
          index += 1;
          continue;
        }
        queue.splice(index, 1);
        if (!start(job, granted)) return;
      }
    },
    clear: () => queue.splice(0).map(({ job }) => job),
    take: (isMeant) => take(({ job }) => isMeant(job)),
    takeOlderThan(ageMs) {
      const before = now() - ageMs;
      return take(({ sinceMs }) => sinceMs < before);
    },
    takeFreed: () => take(({ isFreed }) => isFreed),
  };
}
