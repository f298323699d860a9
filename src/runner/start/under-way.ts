import type { StepId } from '../../core/contract/files/job.ts';
import type { Lease } from '../claim/capacity.ts';
import type { Attempt } from '../end/attempt.ts';

/** A running job with its lease. */
export interface Running extends Attempt {
  readonly lease: Lease;
  /** Its start is reported and logged. */
  isBegun: boolean;
}

/** The attempts of a runner from their start until their results are final. */
export interface UnderWay {
  readonly running: Map<StepId, Running>;
  /** Ended, but not final: its account is awaited, outputs are checked, or a recovery script runs. */
  readonly settling: Set<number>;
  /**
   * The number of attempts that ended and are not yet reported or being checked. Without it, a launch that fails in
   * between would end the runner too early.
   */
  reaped: number;
  readonly count: number;
  jobIds(): number[];
  has(jobId: number): boolean;
}

export function createUnderWay(): UnderWay {
  const running = new Map<StepId, Running>();
  const settling = new Set<number>();
  return {
    running,
    settling,
    reaped: 0,
    get count() {
      return running.size + settling.size + this.reaped;
    },
    jobIds: () => [...[...running.values()].map(({ job }) => job.id), ...settling],
    has(jobId) {
      if (settling.has(jobId)) return true;
      for (const { job } of running.values()) if (job.id === jobId) return true;
      return false;
    },
  };
}
