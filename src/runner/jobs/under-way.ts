import type { StepId } from '../../core/contract/files/job.ts';
import type { Lease } from '../claim/capacity.ts';
import type { Attempt } from '../attempt/attempt.ts';

/** A running job with its lease. */
export interface Running extends Attempt {
  readonly lease: Lease;
  /** Its start is reported and logged. */
  isBegun: boolean;
  /** Its job was canceled while it was sent ahead: it does not start here when it comes back. */
  isCanceled?: boolean;
  /** It was sent ahead, and has the place of this one when that has ended; see `places.ts`. */
  before?: Running | undefined;
  /** It was sent ahead, to have the place of this one. */
  follower?: Running | undefined;
}

/** The attempts of a runner from their start until their results are final. */
export interface UnderWay {
  readonly running: Map<StepId, Running>;
  /**
   * Ended, but not final: its account is awaited, outputs are checked, or a recovery script runs. The runner holds these jobs until
   * they are reported or given back, and does not end before.
   */
  readonly settling: Set<number>;
  readonly count: number;
  /** Those that were sent ahead and wait for a place. */
  readonly sentAhead: number;
  jobIds(): number[];
  has(jobId: number): boolean;
}

export function createUnderWay(): UnderWay {
  const running = new Map<StepId, Running>();
  const settling = new Set<number>();
  return {
    running,
    settling,
    get count() {
      return running.size + settling.size;
    },
    get sentAhead() {
      let count = 0;
      for (const { before } of running.values()) if (before !== undefined) count += 1;
      return count;
    },
    jobIds: () => [...[...running.values()].map(({ job }) => job.id), ...settling],
    has(jobId) {
      if (settling.has(jobId)) return true;
      for (const { job } of running.values()) if (job.id === jobId) return true;
      return false;
    },
  };
}
