import type { WorkflowStatus } from '../../core/contract/workflow.ts';
import type { SlurmJob } from '../../core/allocation/slurm-job.ts';
import type { NextRound } from '../../core/lifecycle/recover/futile-round.ts';
import type { Fixes } from '../../core/lifecycle/recover/recovery-lines.ts';
import type { BadEnd } from '../../core/lifecycle/recover/recovery-plan.ts';
import type { LostAllocation } from '../orphans/clean.ts';
import type { BatchReply } from '../orphans/find.ts';

/** What one round of recovery did. */
export interface Round {
  readonly reset: number;
  /** Allocations. */
  readonly submitted: readonly SlurmJob[];
  /** Requirements that were raised. */
  readonly raised: number;
  readonly waiting: number;
  /** Why nothing could be planned for some jobs. */
  readonly warnings: readonly string[];
  readonly fixes: Fixes;
  /** The command that a person has to run next; undefined where allocations were submitted. */
  readonly next: string | undefined;
}

/** Decides about a round before anything is reset or submitted; `leaves` are jobs that it does not repeat. */
export type Decide = (next: NextRound<BadEnd>) => {
  readonly isFutile: boolean;
  readonly leaves: ReadonlySet<number>;
};

interface CorrectedOrphans {
  /** Jobs that had run. */
  readonly jobs: number;
  readonly lost: readonly LostAllocation[];
  /** The programs of the batch system that were asked. */
  readonly replies: readonly BatchReply[];
}

/** How `watch` acts on its workflow. */
export interface WatchTools {
  status(): Promise<WorkflowStatus>;
  /** Corrects the records of what ended without a report. */
  clean(): Promise<CorrectedOrphans>;
  /** Undefined where `decide` said that it is futile: nothing was reset or submitted. */
  recover(decide: Decide): Promise<Round | undefined>;
  /** Whether a recovery was killed while it submitted allocations: some of them may wait or run. */
  isUnfinished(): Promise<boolean>;
  /** Plans an allocation in the place of each of these, and returns how many; the next look at the status submits them. */
  replace(lost: readonly LostAllocation[]): Promise<number>;
  /** Submits allocations for jobs that wait. */
  schedule(): Promise<Pick<Round, 'submitted' | 'warnings'>>;
  /** How many of these allocations have begun, as far as Slurm knows; those that vanish from the queue have not. */
  begun(allocations: readonly SlurmJob[]): Promise<number>;
  /** Whether a job started in one of these allocations. */
  hasStarted(allocations: readonly SlurmJob[]): Promise<boolean>;
  /** How the newest allocations ended before a runner began, with their last words; a line each. */
  unbegun(): Promise<readonly string[]>;
  /** Sentences about ready jobs that no allocation of the workflow could ever run. */
  unrunnable(): Promise<readonly string[]>;
  /** Ready jobs without labels that are retried or were spawned: no planned allocation is theirs. */
  extraJobs(): Promise<number>;
  /** Why jobs did not end well, a line each. */
  causes(): Promise<readonly string[]>;
  /** Whether allocations are planned, or another command recovers the workflow or submits allocations now. */
  isToCome(): Promise<boolean>;
  /** Until the next look, or for a shorter time. */
  wait(mostMs?: number): Promise<void>;
  nowMs(): number;
  report(level: 'info' | 'warn' | 'error', words: string): void;
  showCounts(status: WorkflowStatus): void;
}

export interface WatchOptions {
  readonly recovers: boolean;
  /** Undefined for no limit. */
  readonly maxRetries: number | undefined;
  /** Ends after so many allocations in a row in which no job started; 0 for no limit. */
  readonly maxFruitless: number;
  readonly isPersistent: boolean;
  readonly asksAgent: boolean;
  readonly autoSchedule:
    | { readonly threshold: number; readonly cooldownMs: number; readonly strandedMs: number }
    | undefined;
}
