import type { TimeLeft } from '../../allocation/usable-time.ts';
import { covers } from './labels.ts';

/** Ready jobs of one kind: the same labels and the same runtime. */
export interface ReadyJob {
  readonly labels: readonly string[];
  readonly runtimeSeconds: number;
}

/** The time of an active runner. */
export interface RunnerTime {
  readonly labels: readonly string[];
  /** Until its end; undefined if it has none. */
  readonly time: Pick<TimeLeft, 'claimableSeconds'> | undefined;
}

/** Minimum, median and maximum of some durations in seconds. */
export interface Spread {
  readonly count: number;
  readonly min_seconds: number | null;
  readonly median_seconds: number | null;
  readonly max_seconds: number | null;
}

export interface RuntimeFit {
  /** Jobs for which no matching runner has enough time. */
  readonly blocked: number;
  /** Runners without enough time for the longest job that matches them. */
  readonly tooShort: number;
}

/** The ready jobs that lack only runtime: every runner that matches them ends too early. */
export function runtimeFit(jobs: readonly ReadyJob[], allocations: readonly RunnerTime[]): RuntimeFit {
  const hasTime = ({ time }: RunnerTime, { runtimeSeconds }: ReadyJob) =>
    time === undefined || runtimeSeconds <= time.claimableSeconds;
  const mayTake = ({ labels }: RunnerTime, job: ReadyJob) => covers(labels, job.labels);
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
