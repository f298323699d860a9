import type { ClaimedJob, HeldAttempt } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Lease } from '../claim/capacity.ts';

/**
 * The state of a job that a runner holds. Each verb of `JobStates` makes one step:
 *
 * - `queued`: it waits for a slot.
 * - `sent ahead`: it starts in the place of another one when that has ended, without asking the runner.
 * - `running`: it has its place.
 * - `ended`: its step has ended, and its resources are free.
 * - `settling`: its result is not final: an account is awaited, outputs are checked, or a recovery script runs.
 * - `gone`: it is reported, given back, or kept for the next life of the allocation.
 */
type HeldState = 'queued' | 'sent ahead' | 'running' | 'ended' | 'settling' | 'gone';

const NEXT: Readonly<Record<HeldState, readonly HeldState[]>> = {
  // A job that cannot be started has a result all the same.
  queued: ['sent ahead', 'running', 'settling', 'gone'],
  'sent ahead': ['running', 'ended'],
  running: ['ended'],
  ended: ['settling', 'gone'],
  settling: ['gone'],
  gone: [],
};

export interface HeldJob {
  readonly job: ClaimedJob;
  state: HeldState;
}

export interface QueuedJob extends HeldJob {
  readonly sinceMs: number;
  /** It was claimed ahead, and what it waited for has completed. */
  readonly isFreed: boolean;
}

/** A started job. Its place is a lease that attempts have one after the other: the first runs, the others were sent ahead. */
export interface PlacedAttempt extends HeldJob, Attempt {
  readonly lease: Lease;
  /** Its job was canceled while it was sent ahead: it does not start here when it comes back. */
  isCanceled?: boolean;
  /** It has the place of this one when that has ended. */
  before?: PlacedAttempt | undefined;
  /** It has the place of this one afterwards. */
  follower?: PlacedAttempt | undefined;
}

interface Fitting {
  readonly isFull: () => boolean;
  readonly lease: (job: ClaimedJob) => Lease | undefined;
  readonly start: (queued: QueuedJob, lease: Lease) => boolean;
}

export type JobStates = ReturnType<typeof createJobStates>;

/** The jobs that a runner holds. `now`: milliseconds of a monotonic clock. */
export function createJobStates(now: () => number = () => performance.now()) {
  const queue: QueuedJob[] = [];
  const running = new Map<StepId, PlacedAttempt>();
  /** Ended and settling. */
  const unsettled = new Set<HeldJob>();
  const kept = new Set<number>();
  const all = (): HeldJob[] => [...running.values(), ...unsettled, ...queue];
  const placeOf = (job: ClaimedJob) => {
    const place = queue.findIndex((other) => (other.job.priority ?? 0) < (job.priority ?? 0));
    return place === -1 ? queue.length : place;
  };

  return {
    /** In the order in which they start. */
    queue: queue as readonly QueuedJob[],
    /** Those that were sent ahead and those that run, by their steps. */
    running: running as ReadonlyMap<StepId, PlacedAttempt>,
    /** The number of jobs from their start until their results are final. The runner does not end before. */
    get underWay() {
      return running.size + unsettled.size;
    },
    get sentAhead() {
      let count = 0;
      for (const { state } of running.values()) if (state === 'sent ahead') count += 1;
      return count;
    },
    /** Whether jobs are kept for the next life of the allocation. */
    get hasKept() {
      return kept.size > 0;
    },
    /** Of all held jobs, and of those that are kept. */
    ids: () => [...all().map(({ job }) => job.id), ...kept],
    has: (jobId: number) => all().some(({ job }) => job.id === jobId),
    /** One for each attempt that is queued or under way. */
    keys: (): ReadonlySet<string> => new Set(all().map(({ job }) => attemptKeyOf(job))),

    /** Behind all others; before all others, as one that could not start now; or, freed, before those of lower priority. */
    enqueue(job: ClaimedJob, where: 'last' | 'first' | 'freed') {
      const queued: QueuedJob = { job, state: 'queued', sinceMs: now(), isFreed: where === 'freed' };
      if (where === 'last') queue.push(queued);
      else queue.splice(where === 'first' ? 0 : placeOf(job), 0, queued);
    },
    /** Takes these out of the queue. */
    dequeue(isMeant: (queued: QueuedJob) => boolean): ClaimedJob[] {
      const taken = queue.filter(isMeant);
      if (taken.length === 0) return [];
      const others = queue.filter((each) => !isMeant(each));
      queue.length = 0;
      for (const each of others) queue.push(each);
      for (const each of taken) become(each, 'gone');
      return taken.map(({ job }) => job);
    },
    /**
     * Takes out the queued jobs that get a lease, in order, and skips the others, until `start` says that no more can start or
     * `isFull` says that no other can get one.
     */
    startFitting({ isFull, lease, start }: Fitting) {
      for (let index = 0; index < queue.length && !isFull();) {
        const queued = queue[index] as QueuedJob;
        const granted = lease(queued.job);
        if (granted === undefined) {
          index += 1;
          continue;
        }
        queue.splice(index, 1);
        if (!start(queued, granted)) return;
      }
    },
    /** An attempt has started: in a place of its own, or it was sent ahead behind another. */
    start(attempt: Attempt, lease: Lease, before: PlacedAttempt | undefined): PlacedAttempt {
      const held: PlacedAttempt = { ...attempt, lease, before, state: before === undefined ? 'running' : 'sent ahead' };
      if (before !== undefined) before.follower = held;
      running.set(held.step.id, held);
      return held;
    },
    /** The step of an attempt has ended; true if nothing has its place now, so that its lease is free. */
    end(attempt: PlacedAttempt): boolean {
      become(attempt, 'ended');
      running.delete(attempt.step.id);
      unsettled.add(attempt);
      return vacate(attempt);
    },
    /** Something is awaited before the result is final. */
    settle(held: HeldJob) {
      become(held, 'settling');
      unsettled.add(held);
    },
    /** The job is reported, given back, queued anew or kept: this runner is done with the attempt. */
    drop(held: HeldJob) {
      become(held, 'gone');
      unsettled.delete(held);
    },
    /** The job is not reported, but kept for the next life of the allocation. */
    keep: ({ job }: HeldJob) => void kept.add(job.id),
  };
}

/** One for each attempt of a job. */
export const attemptKeyOf = ({ id, attempt_id: attempt }: Pick<ClaimedJob, 'id' | 'attempt_id'>): string =>
  `${id} ${attempt}`;

/** The keys of attempts that a reply of the server names. */
export const attemptKeys = (attempts: readonly HeldAttempt[]): ReadonlySet<string> =>
  new Set(attempts.map(({ job_id: id, attempt_id }) => attemptKeyOf({ id, attempt_id })));

function become(held: HeldJob, state: HeldState): void {
  if (!NEXT[held.state].includes(state))
    throw new Error(`Job ${held.job.id} is ${held.state} and cannot become ${state}.`);
  held.state = state;
}

/** An attempt ends in its place, and the next one has it; true if no attempt is left in it. */
function vacate(attempt: PlacedAttempt): boolean {
  const { before, follower } = attempt;
  if (before !== undefined) before.follower = follower;
  if (follower !== undefined) {
    follower.before = before;
    if (before === undefined) become(follower, 'running');
  }
  attempt.before = undefined;
  attempt.follower = undefined;
  return before === undefined && follower === undefined;
}
