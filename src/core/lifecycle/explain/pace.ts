import type { JobStatusCounts } from '../../contract/job.ts';
import { outcomeOf } from './outcome.ts';
import { countOf, ENDED, NOT_RUN, RUNS_NOW } from '../../job/statuses.ts';
import { grouped } from '../../quantity/count-text.ts';
import { timeText } from '../../quantity/time-text.ts';

/** How fast jobs end, as far as is known at one moment. */
export interface Pace {
  /** Ends per second, smoothed. */
  readonly rate: number;
  readonly ratedMs: number;
  readonly ended: number;
  /** Ends on which the rate is based. */
  readonly seen: number;
  readonly lastEndMs: number;
}

/** The period over which the rate is smoothed: long enough to be readable, short enough to follow a change. */
const SMOOTH_MS = 5_000;
/** Counts that follow each other sooner say nothing about a rate. */
const LEAST_MS = 100;
/** Fewer ends say nothing about the next ones. */
const LEAST_ENDS = 10;
/** So many ends overdue: the jobs that run now take longer than those before. */
const MOST_OVERDUE = 3;

/** The pace at the first look; `earlier` are the last ends before it, if something knows them. */
export function firstPace(counts: JobStatusCounts, nowMs: number, earlier: readonly number[] = []): Pace {
  const times = earlier.toSorted((a, b) => a - b);
  const [first = nowMs] = times;
  const last = times.at(-1) ?? nowMs;
  const rate = last > first ? ((times.length - 1) * 1000) / (last - first) : 0;
  // The clock of a runner may be ahead of this one.
  return { rate, ratedMs: nowMs, ended: endedOf(counts), seen: times.length, lastEndMs: Math.min(last, nowMs) };
}

/** The pace after another look. */
export function nextPace(pace: Pace, counts: JobStatusCounts, nowMs: number): Pace {
  const ended = endedOf(counts);
  // Jobs that were reset are no ends.
  const ends = Math.max(0, ended - pace.ended);
  const elapsedMs = nowMs - pace.ratedMs;
  if (elapsedMs < LEAST_MS) return pace;
  const weight = Math.exp(-elapsedMs / SMOOTH_MS);
  const current = (ends * 1000) / elapsedMs;
  return {
    rate: pace.rate === 0 ? current : pace.rate * weight + current * (1 - weight),
    ratedMs: nowMs,
    ended,
    seen: pace.seen + ends,
    lastEndMs: ends > 0 ? nowMs : pace.lastEndMs,
  };
}

/** The rate, ends per second, from which a time left can be concluded; otherwise 0. */
export const rateOf = ({ rate, seen, lastEndMs }: Pace, nowMs: number): number =>
  reliableRate(rate, seen, (nowMs - lastEndMs) / 1000);

/** The same from its parts. */
export const reliableRate = (rate: number, ended: number, secondsSinceEnd: number): number =>
  ended >= LEAST_ENDS && secondsSinceEnd * rate <= MOST_OVERDUE ? rate : 0;

export const endedOf = (counts: JobStatusCounts): number => countOf(counts, ENDED);

/** Seconds until all jobs have ended at this rate; undefined where no rate is known or nothing is left. */
export function secondsLeft(counts: JobStatusCounts, rate: number): number | undefined {
  const open = countOf(counts, NOT_RUN, RUNS_NOW);
  return rate >= LEAST_RATE && open > 0 ? open / rate : undefined;
}

/** A lower rate is shown as 0.0. */
const LEAST_RATE = 0.05;

/** `1,204 completed · 2 running · 3 failed · 1 stopped · 8,793 not run · 1,480/s · 6.0s to go`. */
export function progressText(counts: JobStatusCounts, rate: number): string {
  const { completed, failed, stopped, running, notRun } = outcomeOf(counts);
  return [
    `${grouped(completed)} completed`,
    `${grouped(running)} running`,
    ...(failed > 0 ? [`${grouped(failed)} failed`] : []),
    ...(stopped > 0 ? [`${grouped(stopped)} stopped`] : []),
    `${grouped(notRun)} not run`,
    ...paceTexts(counts, rate),
  ].join(' · ');
}

/** `1,480/s` and `6.0s to go`, as far as they are known. */
export function paceTexts(counts: JobStatusCounts, rate: number): string[] {
  const seconds = secondsLeft(counts, rate);
  return [
    ...(rate >= LEAST_RATE ? [`${rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate))}/s`] : []),
    ...(seconds === undefined ? [] : [`${timeText(seconds)} to go`]),
  ];
}
