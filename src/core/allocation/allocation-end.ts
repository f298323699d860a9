import type { QueueState } from './slurm-state.ts';

/**
 * Whether an allocation is dead, and with it its runner: the one place that decides this.
 *
 * The word of the batch system decides. A state that is not known, and an allocation of which nothing is known, prove nothing.
 * Times are compared only with times of the same batch system: the clock of a node may be minutes behind or ahead of it.
 */

/** A run of an allocation: when it is requeued, another one begins. Times are Unix milliseconds by the clock of the batch system. */
export interface AllocationRun {
  /** When the run began. */
  readonly startedAtMs?: number | undefined;
  /** When the allocation was submitted, or requeued the last time. */
  readonly submittedAtMs?: number | undefined;
  /** How often it was requeued before. */
  readonly restarts?: number | undefined;
}

/** What the batch system says of an allocation. */
export interface AllocationState extends Pick<AllocationRun, 'startedAtMs' | 'submittedAtMs'> {
  readonly state: QueueState;
  /** Its own word: `NODE_FAIL`, `CANCELLED by 1000`. */
  readonly word: string;
}

/** The allocation in which the process that decides runs. */
export interface OwnAllocation {
  readonly jobId: number;
  /** How often it was requeued. */
  readonly restarts: number;
}

/** The end of the allocation of a runner. `isRequeued`: it waits, or runs again. */
export interface EndedAllocation {
  readonly isRequeued: boolean;
  /** `allocation 7 ended NODE_FAIL`. */
  readonly words: string;
}

/** A runner, with the run of the allocation in which it registered, as the batch system reported it then. */
interface RunnerOfAllocation extends AllocationRun {
  readonly jobId: number;
}

/** The end of an allocation as it is stored with what ended with it. */
export const wordsOfEnd = (jobId: number, word: string): string => `allocation ${jobId} ended ${word}`;

/** The state in these words: `CANCELLED` of `allocation 7 ended CANCELLED by 1000`. */
export const endOfAllocationIn = (words: string): string | undefined =>
  /\ballocation \d+ ended ([A-Z_]{2,})\b/.exec(words)?.[1];

/** How the allocation of a runner ended since the runner registered; undefined if nothing proves that it did. */
export function allocationEndOf(
  runner: RunnerOfAllocation,
  known: AllocationState | undefined,
): EndedAllocation | undefined {
  const { jobId } = runner;
  if (known?.state === 'ended') return { isRequeued: false, words: wordsOfEnd(jobId, known.word) };
  // A later run is another one: of the requeued allocation, or of a job with the same id.
  if (known?.state === 'running' && isLater(known.startedAtMs, runner.startedAtMs))
    return { isRequeued: true, words: `allocation ${jobId} has started again` };
  // It has run, or no runner of it could have registered.
  return known?.state === 'queued' && wasRequeuedSince(runner, known)
    ? { isRequeued: true, words: `allocation ${jobId} was requeued` }
    : undefined;
}

/** The same for a runner in the allocation of this process, which runs: only an earlier run of it is over. */
export const earlierRunOf = (
  { jobId, restarts }: RunnerOfAllocation,
  own: OwnAllocation,
): EndedAllocation | undefined =>
  isLater(own.restarts, restarts) ? { isRequeued: true, words: `allocation ${jobId} was requeued` } : undefined;

/**
 * Whether an allocation that waits was requeued after its runner registered, so that the runner is gone.
 *
 * A requeue renews the time of submission. A controller that was killed may have forgotten that the allocation has started
 * since, and says that it waits: then that time is the one that the runner registered. Where the batch system prints no such time,
 * the word alone counts; with only one of the two times nothing is proven.
 *
 * Slurm's times are whole seconds, cut off. A requeue in the second of the submission is not seen here; the next runner of the
 * allocation knows how often it was requeued.
 */
const wasRequeuedSince = (registered: AllocationRun, now: AllocationRun): boolean =>
  registered.submittedAtMs === undefined && now.submittedAtMs === undefined
    ? true
    : isLater(now.submittedAtMs, registered.submittedAtMs);

const isLater = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && one > other;

/** The status that a record of an allocation should have; undefined if it has it, or nothing is known. */
export function correctedStatus(status: string, state: QueueState | undefined): 'complete' | 'pending' | undefined {
  if (state === 'ended') return status === 'active' || status === 'pending' ? 'complete' : undefined;
  // A runner completes the record of its allocation also when that is then requeued.
  return state === 'queued' && (status === 'active' || status === 'complete') ? 'pending' : undefined;
}
