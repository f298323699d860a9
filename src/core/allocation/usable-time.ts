import { terminationOf } from '../attempt/execution.ts';
import { slurmTermination } from '../attempt/srun-termination.ts';
import type { ExecutionConfig } from '../contract/workflow.ts';
import { mayHaveSteps } from './execution-mode.ts';
import { formatWalltime } from '../quantity/slurm-time.ts';

/**
 * The time of an allocation, or of any runner with an end, as its jobs see it.
 *
 * Planned walltimes, claims and what is said about jobs that wait all follow from this file, so a job that a plan
 * promises time to is claimed, and a job that is claimed can start.
 */
export interface TimeMargins {
  /** Each job is a step of Slurm with a time limit of its own, in whole minutes. */
  readonly hasStepLimits: boolean;
  /** From the end of the last job to that of the allocation. */
  readonly headroomSeconds: number;
  /** From the signal that asks a job to end to its end. */
  readonly leadSeconds: number;
}

/** The margins of a workflow; `isInAllocation` decides what mode `auto` means. */
export function marginsOf(execution: ExecutionConfig | null | undefined, isInAllocation = true): TimeMargins {
  const { step_batching: isBatched } = execution ?? {};
  const { headroomSeconds, leadSeconds } = terminationOf(execution ?? {});
  const isSlurm = mayHaveSteps(execution ?? {}, isInAllocation);
  const hasStepLimits = isSlurm && isBatched !== true;
  const early = isSlurm ? slurmTermination(execution ?? {}).sigterm_lead_seconds : undefined;
  return {
    hasStepLimits,
    headroomSeconds: Math.max(0, headroomSeconds),
    // Without a signal of its own, Slurm ends a step at its limit: nothing asks it before.
    leadSeconds: early ?? (hasStepLimits ? 0 : Math.max(0, leadSeconds)),
  };
}

/** A runner: how long it runs in all, and how long from now on. */
export interface RunnerSpan {
  readonly lengthSeconds: number;
  readonly leftSeconds: number;
}

/** A step with less is not started, as in Torc 1.0.0: limits of steps are whole minutes. */
const STEP_SECONDS = 60;

/**
 * Seconds that a job which starts now runs undisturbed; 0 if none can start.
 *
 * A run shorter than twice its margins gives half of itself to jobs (see `deadlineOf`); a step is not started then.
 */
export function usableSeconds(
  { hasStepLimits, headroomSeconds, leadSeconds }: TimeMargins,
  { lengthSeconds, leftSeconds }: RunnerSpan,
): number {
  if (!hasStepLimits)
    return Math.max(0, leftSeconds - Math.min(headroomSeconds + leadSeconds, Math.max(0, lengthSeconds) / 2));
  const step = stepSeconds(leftSeconds, headroomSeconds);
  return step === 0 ? 0 : Math.max(0, step - leadSeconds);
}

/** The time limit of a step that starts now; 0 if it would be less than a minute. */
export const stepSeconds = (leftSeconds: number, headroomSeconds: number): number =>
  Math.max(0, Math.floor((leftSeconds - headroomSeconds) / STEP_SECONDS)) * STEP_SECONDS;

/**
 * A runner takes jobs that request this share more than they can use, and two minutes at most: many request more than they need. It is
 * two minutes of an hour, which is the grace of Torc 1.0.0. With two minutes for every job, a job of a minute starts half a minute before
 * its runner kills it.
 */
const GRACE_SHARE = 1 / 30;
export const MOST_GRACE_SECONDS = 120;

/** What a job of this runtime may lack when it is claimed. */
const graceSeconds = (runtimeSeconds: number): number => Math.min(runtimeSeconds * GRACE_SHARE, MOST_GRACE_SECONDS);

/** The longest runtime that with its grace has so much time. */
const withGrace = (seconds: number): number => Math.min(seconds / (1 - GRACE_SHARE), seconds + MOST_GRACE_SECONDS);

/**
 * A runner is fresh for as long as its grace, and at least until its first claims are answered. Then it counts all of its time, as Torc
 * 1.0.0 always does: otherwise a job exactly as long as its allocation would never start.
 */
const LEAST_FRESH_SECONDS = 10;

/** The longest runtime of a job that a runner takes now; 0 if it can start none. */
export function claimableSeconds(margins: TimeMargins, span: RunnerSpan): number {
  const usable = usableSeconds(margins, span);
  if (usable === 0) return 0;
  const { lengthSeconds, leftSeconds } = span;
  const isFresh = lengthSeconds - leftSeconds <= Math.max(graceSeconds(lengthSeconds), LEAST_FRESH_SECONDS);
  // No plan is that short: who runs jobs for seconds, with the minute that jobs request by default, wants them to begin.
  if (isFresh && lengthSeconds <= MOST_GRACE_SECONDS) return Math.floor(leftSeconds + MOST_GRACE_SECONDS);
  return Math.floor(withGrace(isFresh ? leftSeconds : usable));
}

/** What a runner has left, as jobs see it. */
export interface TimeLeft {
  readonly leftSeconds: number;
  readonly usableSeconds: number;
  readonly claimableSeconds: number;
}

export const timeLeft = (margins: TimeMargins, span: RunnerSpan): TimeLeft => ({
  leftSeconds: Math.max(0, span.leftSeconds),
  usableSeconds: usableSeconds(margins, span),
  claimableSeconds: claimableSeconds(margins, span),
});

/**
 * From the start of an allocation to that of its first job, without the delay of runners that start together. It is 3 s on an
 * idle test cluster, and more where hundreds read the program from one file system. Too short, and the last job of a
 * plan lacks the time.
 */
const START_SECONDS = 20;
/** Up to ten runners wait no longer: their number does not change the walltime. */
const LEAST_DELAY_SECONDS = 10;

/**
 * From the end of a job to the start of the next in its place, with what a job takes beside its own time: at most 2 s. Without it the last of
 * ten rounds of a minute lacks what the nine before took longer. Measured where runners write to a shared disk: 0.1 to 1 s.
 */
export const roundSeconds = (runtimeSeconds: number): number => Math.min(2, runtimeSeconds / 30);

/** Time of a planned allocation that is not for its jobs: `delaySeconds` is the longest delay of its runner. */
export const overheadSeconds = (margins: TimeMargins, delaySeconds = 0): number =>
  margins.headroomSeconds + margins.leadSeconds + startSeconds(margins, delaySeconds);

/** Slurm's limits are whole minutes, so a step ends up to a minute early. */
const startSeconds = ({ hasStepLimits }: TimeMargins, delaySeconds: number) =>
  START_SECONDS + Math.max(LEAST_DELAY_SECONDS, delaySeconds) + (hasStepLimits ? STEP_SECONDS : 0);

/** The walltime of an allocation in which jobs have so many seconds, in whole minutes as Slurm counts. */
export const walltimeFor = (jobSeconds: number, margins: TimeMargins, delaySeconds = 0): number =>
  Math.ceil((jobSeconds + overheadSeconds(margins, delaySeconds)) / 60) * 60;

/** `runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30`. */
export function walltimeSum(runtimeSeconds: number, margins: TimeMargins): string {
  const { headroomSeconds: headroom, leadSeconds: lead } = margins;
  const parts = { runtime: runtimeSeconds, headroom, lead, start: startSeconds(margins, 0) };
  const terms = Object.entries(parts).map(([name, seconds]) => `${name} ${formatWalltime(seconds)}`);
  return `${terms.join(' + ')} = ${formatWalltime(runtimeSeconds + overheadSeconds(margins))}`;
}
