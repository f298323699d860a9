import { claimableSeconds, type TimeMargins } from '../../core/allocation/usable-time.ts';
import { formatDuration } from '../../core/quantity/duration.ts';
import type { RunnerOptions } from '../facts/options.ts';

/** What decides whether a runner with an end takes a job. */
export interface ClaimRules {
  /** A runner that counts jobs, and ignores their runtime, takes none in its last seconds. */
  readonly leastSeconds: number;
  readonly margins: TimeMargins;
  readonly startedAtMs: number;
}

type Ends = Pick<RunnerOptions, 'maxParallelJobs' | 'endAtMs'>;

/** Seconds that the longest job may request which the runner takes now; Infinity without an end. */
function longestSeconds({ endAtMs }: Ends, { margins, startedAtMs }: ClaimRules, nowMs: number): number {
  if (endAtMs === undefined) return Infinity;
  return claimableSeconds(margins, {
    lengthSeconds: (endAtMs - startedAtMs) / 1000,
    leftSeconds: (endAtMs - nowMs) / 1000,
  });
}

/**
 * The time limit of a claim. Undefined if the runner has no end.
 *
 * In seconds, where Torc 1.0.0 writes hours and minutes, and at least a minute: jobs of a minute came with 27 s left.
 */
export function claimLimit(ends: Ends, rules: ClaimRules, nowMs: number): string | undefined {
  const seconds = longestSeconds(ends, rules, nowMs);
  return seconds === Infinity ? undefined : formatDuration(seconds);
}

/** Why the runner takes no job any more, whatever is ready; undefined while it takes some. */
export function noTimeReason(ends: Ends, rules: ClaimRules, nowMs: number): string | undefined {
  const { maxParallelJobs, endAtMs } = ends;
  const { leastSeconds, margins } = rules;
  if (longestSeconds(ends, rules, nowMs) === 0) {
    const { headroomSeconds, leadSeconds, hasStepLimits } = margins;
    const what = hasStepLimits ? 'a step of Slurm needs a minute' : 'jobs are asked to end';
    return `too little time is left to start a job: ${what} before the last ${headroomSeconds + leadSeconds} s of the runner`;
  }
  if (maxParallelJobs !== undefined && endAtMs !== undefined && endAtMs - nowMs < leastSeconds * 1000)
    return `a runner that counts jobs takes none in its last ${leastSeconds} s (compute_node_min_time_for_new_jobs_seconds)`;
  return undefined;
}

/** Is enough time left for a job that was claimed before, perhaps long before? */
export const hasTimeFor = (ends: Ends, rules: ClaimRules, nowMs: number, runtimeSeconds: number): boolean =>
  noTimeReason(ends, rules, nowMs) === undefined &&
  (ends.maxParallelJobs !== undefined || runtimeSeconds <= longestSeconds(ends, rules, nowMs));
