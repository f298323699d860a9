import type { JobStatusCounts } from '../core/contract/job.ts';
import { type LostOptions, recoverLostRunners } from './lost.ts';

export interface LookoutOptions extends LostOptions {
  /** Does this runner hold nothing? */
  readonly isIdle: () => boolean;
  readonly counts: () => JobStatusCounts | undefined;
  /** What was held by a runner that is gone is to be had again. */
  readonly onFound: () => void;
}

/**
 * Looks after the other runners of this host, while this one has nothing to do but wait for their jobs: one that was killed
 * would keep everybody waiting for ever.
 */
export interface Lookout {
  look(): void;
}

export function createLookout({ isIdle, counts, onFound, ...lost }: LookoutOptions): Lookout {
  let isLooking = false;
  const look = async () => {
    // Ready jobs that this runner was not given may wait for an attempt that a runner held which is gone.
    const { ready = 0, pending = 0, running = 0 } = counts() ?? {};
    if (isLooking || !isIdle() || ready + pending + running === 0) return;
    isLooking = true;
    try {
      if ((await recoverLostRunners(lost)) > 0) onFound();
    } catch (error) {
      lost.log.write('debug', 'Could not look after other runners', { reason: (error as Error).message });
    } finally {
      isLooking = false;
    }
  };
  return { look: () => void look() };
}
