import type { ClaimedJob } from '../../../core/contract/exchange.ts';

/** A step that was started and has not ended. */
export interface RunningStep {
  readonly job: ClaimedJob;
  /** The process of srun; undefined while the step waits for its turn, and when srun has ended before it. */
  pid: number | undefined;
  /** The file in which the wrapper of the command writes. */
  readonly mark: string;
  /** Resolves the promise that the step has begun, with the milliseconds since then. */
  readonly begun: (agoMs: number) => void;
  hasBegun: boolean;
  /** The runner ended it: then it is known what did. */
  isSignaled: boolean;
  /** The runner killed it: the end of its srun is waited for, and no other proof. */
  isKilled: boolean;
  /** On the monotonic clock. */
  launchedAt: number;
}
