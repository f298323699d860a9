/** Slurm's times are whole seconds, cut off. */
const RESOLUTION_MS = 1_000;

/**
 * Whether an allocation that waits was requeued after its runner registered, so that the runner is gone.
 *
 * A requeue renews the time of submission. A controller that was killed may have forgotten that the allocation has started again
 * since, and says that it waits: then that time is older than the runner. Without a time, the word alone counts.
 */
export const wasRequeuedSince = (registeredAtMs: number, submittedAtMs: number | undefined): boolean =>
  submittedAtMs === undefined || submittedAtMs + RESOLUTION_MS > registeredAtMs;
