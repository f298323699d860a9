import { covers } from '../contract/labels.ts';

/** Ready jobs of one kind: the same labels and the same time. */
export interface ReadyJob {
  readonly labels: readonly string[];
  readonly runtimeSeconds: number;
}

/** A runner that is there. */
export interface Allocation {
  readonly labels: readonly string[];
  /** Until its end; undefined when it has none. */
  readonly secondsLeft: number | undefined;
}

/** The least, the middle and the most of some seconds. */
export interface Spread {
  readonly count: number;
  readonly min_seconds: number | null;
  readonly median_seconds: number | null;
  readonly max_seconds: number | null;
}

export interface RuntimeFit {
  /** Jobs that no runner has the time for, though there are runners that they could go to. */
  readonly blocked: number;
  /** Runners that have not the time for the longest job which could go to them. */
  readonly tooShort: number;
}

/** A runner offers its remaining time and this much more, so that a job just as long as an allocation starts at all. */
export const GRACE_SECONDS = 120;

/** Which ready jobs wait for nothing but time: every runner that could take them ends before they would. */
export function runtimeFit(jobs: readonly ReadyJob[], allocations: readonly Allocation[]): RuntimeFit {
  const hasTime = ({ secondsLeft }: Allocation, { runtimeSeconds }: ReadyJob) =>
    secondsLeft === undefined || runtimeSeconds <= secondsLeft + GRACE_SECONDS;
  const mayTake = ({ labels }: Allocation, job: ReadyJob) => covers(labels, job.labels);
  const blocked = jobs.filter((job) => {
    const open = allocations.filter((allocation) => mayTake(allocation, job));
    return open.length > 0 && !open.some((allocation) => hasTime(allocation, job));
  });
  const tooShort = allocations.filter((allocation) =>
    jobs.some((job) => mayTake(allocation, job) && !hasTime(allocation, job)),
  );
  return { blocked: blocked.length, tooShort: tooShort.length };
}

export function spreadOf(seconds: readonly number[]): Spread {
  const sorted = seconds.toSorted((a, b) => a - b);
  const at = (place: number) => sorted[place] ?? null;
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [at(middle - 1), at(middle)];
  return {
    count: sorted.length,
    min_seconds: at(0),
    median_seconds: sorted.length % 2 === 1 || low === null || high === null ? high : (low + high) / 2,
    max_seconds: at(sorted.length - 1),
  };
}
