/**
 * Whether an allocation that waits was requeued after its runner registered, so that the runner is gone.
 *
 * A requeue renews the time of submission. A controller that was killed may have forgotten that the allocation has started
 * since, and says that it waits: then that time is older than the runner. Without a time, the word alone counts.
 *
 * Slurm's times are whole seconds, cut off. A requeue in the second in which the runner registered is not seen here; the next
 * runner of the allocation knows how often it was requeued.
 */
export const wasRequeuedSince = (registeredAtMs: number, submittedAtMs: number | undefined): boolean =>
  submittedAtMs === undefined || submittedAtMs > registeredAtMs;
