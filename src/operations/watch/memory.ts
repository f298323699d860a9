import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import { NO_ROUNDS, type RoundsBefore } from '../../core/lifecycle/recover/futile-round.ts';
import type { LostAllocation } from '../orphans/clean.ts';
import type { BatchReply } from '../orphans/find.ts';
import type { Refused } from './refused.ts';

/** What a watch knows from its looks before. */
export interface Memory {
  rounds: number;
  /** That another command, or the state of the workflow, keeps it from a round; undefined while nothing does. */
  refusal: Refused | undefined;
  scheduledAtMs: number | undefined;
  extraSinceMs: number | undefined;
  recovered: RoundsBefore;
  /** Causes that were shown since the last recovery. */
  reported: Set<string>;
  /** Allocations that were submitted last, and those in a row before them in which no job started. */
  submitted: readonly SlurmJob[];
  fruitless: number;
  /** Allocations that were lost while others live, and that nothing replaces yet. */
  lost: readonly LostAllocation[];
  /** The run in which they were lost. */
  lostInRun: number | undefined;
  /** A job was seen to run since then. */
  hasSeenRunning: boolean;
  /** Not known to be untrue: the last recovery was killed. */
  mayBeUnfinished: boolean;
  isAway: boolean;
  /** Programs of the batch system that did not answer when they were asked last. */
  silent: Set<BatchReply['program']>;
  /** Since when jobs wait and nothing runs them, or is to come; undefined while something is. */
  idleSinceMs: number | undefined;
}

export const newMemory = (mayBeUnfinished: boolean): Memory => ({
  rounds: 0,
  refusal: undefined,
  scheduledAtMs: undefined,
  extraSinceMs: undefined,
  recovered: NO_ROUNDS,
  reported: new Set(),
  submitted: [],
  fruitless: 0,
  lost: [],
  lostInRun: undefined,
  hasSeenRunning: false,
  mayBeUnfinished,
  isAway: false,
  silent: new Set(),
  idleSinceMs: undefined,
});
