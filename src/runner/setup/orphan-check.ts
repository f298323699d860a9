import type { JobStatusCounts } from '../../core/contract/job.ts';
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
  check(): void;
}

export function createOrphanCheck({ isIdle, counts, onFound, ...lost }: OrphanCheckOptions): OrphanCheck {
  let isChecking = false;
  const check = async () => {
    // Ready jobs that this runner did not get may wait for an attempt that a lost runner held.
    const { ready = 0, pending = 0, running = 0 } = counts() ?? {};
    if (isChecking || !isIdle() || ready + pending + running === 0) return;
    isChecking = true;
    try {
      if ((await recoverLostRunners(lost)) > 0) onFound();
    } catch (error) {
      lost.log.write('debug', 'Could not check for lost runners', { reason: (error as Error).message });
    } finally {
      isChecking = false;
    }
  };
  return { check: () => void check() };
}
