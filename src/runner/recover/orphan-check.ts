import type { JobStatusCounts } from '../../core/contract/job.ts';
import { countOf, UNDER_WAY } from '../../core/job/statuses.ts';
import { recoverInBatch } from './dead-allocations.ts';
import { type LostOptions, recoverLostRunners } from './lost-runners.ts';

export interface OrphanCheckOptions extends LostOptions {
  /** Whether this runner holds no job. */
  readonly isIdle: () => boolean;
  readonly counts: () => JobStatusCounts | undefined;
  /** Jobs of a lost runner can be claimed again. */
  readonly onFound: () => void;
}

/**
 * The orphan check: while this runner only waits for jobs of other runners, it checks whether those on its host still
 * run. A killed runner would otherwise keep everybody waiting for ever.
 */
export interface OrphanCheck {
  /** Resolves when the check is over; never rejects. */
  check(): Promise<void>;
}

/** Between two questions to the batch system: it serves all users of a cluster, and 100 runners may wait at the same time. */
const ASK_BATCH_MS = 15_000;

export function createOrphanCheck({ isIdle, counts, onFound, ...lost }: OrphanCheckOptions): OrphanCheck {
  let isChecking = false;
  // The runner has asked when it registered.
  let askedBatchAt = performance.now();
  const check = async () => {
    // Ready jobs that this runner did not get may wait for an attempt that a lost runner held.
    if (isChecking || !isIdle() || countOf(counts() ?? {}, UNDER_WAY) === 0) return;
    isChecking = true;
    try {
      const here = await recoverLostRunners(lost);
      const now = performance.now();
      const isDue = now - askedBatchAt >= ASK_BATCH_MS;
      if (isDue) askedBatchAt = now;
      const inBatch = isDue ? await recoverInBatch(lost) : 0;
      if (here + inBatch > 0) onFound();
    } catch (error) {
      lost.log.write('debug', 'Could not check for lost runners', { reason: (error as Error).message });
    } finally {
      isChecking = false;
    }
  };
  return { check };
}
