import type { QueueState } from './slurm-state.ts';

/**
 * Whether an allocation is dead, and with it its runner: the one place that decides this.
 *
 * The word of the batch system decides. A state that is not known, and an allocation of which nothing is known, prove nothing.
 */

/** What the batch system says of an allocation. */
export interface AllocationState {
  readonly state: QueueState;
  /** Its own word: `NODE_FAIL`, `CANCELLED by 1000`. */
  readonly word: string;
  /** When its present run began, in Unix milliseconds. */
  readonly startedAtMs?: number | undefined;
  /** When it was submitted, or requeued the last time, in Unix milliseconds. */
  readonly submittedAtMs?: number | undefined;
}

/** The allocation in which the process that decides runs. */
export interface OwnAllocation {
  readonly jobId: number;
  /** How often it was requeued. */
  readonly restarts: number;
  /** When this run of it began, in Unix milliseconds. */
  readonly startedAtMs: number | undefined;
}

/** The end of the allocation of a runner. `isRequeued`: it waits, or runs again. */
export interface AllocationEnd {
  readonly isRequeued: boolean;
  /** `allocation 7 ended NODE_FAIL`. */
  readonly words: string;
}

interface RunnerOfAllocation {
  readonly jobId: number;
  readonly registeredAtMs: number;
}

/** The clocks of a cluster may differ by this much. */
const CLOCKS_MS = 60_000;

/** How the allocation of a runner ended since the runner registered; undefined if nothing proves that it did. */
export function allocationEndOf(
  { jobId, registeredAtMs }: RunnerOfAllocation,
  known: AllocationState | undefined,
): AllocationEnd | undefined {
  if (known?.state === 'ended') return { isRequeued: false, words: `allocation ${jobId} ended ${known.word}` };
  // A run that began after this runner registered is another one: of the requeued allocation, or of a job with the same id.
  if (known?.state === 'running' && (known.startedAtMs ?? 0) > registeredAtMs + CLOCKS_MS)
    return { isRequeued: true, words: `allocation ${jobId} has started again` };
  // It has run, or no runner of it could have registered.
  return known?.state === 'queued' && wasRequeuedSince(registeredAtMs, known.submittedAtMs)
    ? { isRequeued: true, words: `allocation ${jobId} was requeued` }
    : undefined;
}

/** The same for a runner in the allocation of this process, which runs: only an earlier run of it is over. */
export const earlierRunOf = (
  { jobId, registeredAtMs }: RunnerOfAllocation,
  { restarts, startedAtMs }: OwnAllocation,
): AllocationEnd | undefined =>
  restarts > 0 && startedAtMs !== undefined && registeredAtMs < startedAtMs
    ? { isRequeued: true, words: `allocation ${jobId} was requeued` }
    : undefined;

/**
 * Whether an allocation that waits was requeued after its runner registered, so that the runner is gone.
 *
 * A requeue renews the time of submission. A controller that was killed may have forgotten that the allocation has started
 * since, and says that it waits: then that time is older than the runner. Without a time, the word alone counts.
 *
 * Slurm's times are whole seconds, cut off. A requeue in the second in which the runner registered is not seen here; the next
 * runner of the allocation knows how often it was requeued.
 */
const wasRequeuedSince = (registeredAtMs: number, submittedAtMs: number | undefined): boolean =>
  submittedAtMs === undefined || submittedAtMs > registeredAtMs;

/** The status that a record of an allocation should have; undefined if it has it, or nothing is known. */
export function correctedStatus(status: string, state: QueueState | undefined): 'complete' | 'pending' | undefined {
  if (state === 'ended') return status === 'active' || status === 'pending' ? 'complete' : undefined;
  // A runner completes the record of its allocation also when that is then requeued.
  return state === 'queued' && (status === 'active' || status === 'complete') ? 'pending' : undefined;
}
