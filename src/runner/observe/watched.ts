import type { ClaimedJob, Completion } from '../../core/contract/exchange.ts';
import type { StepId } from '../../core/contract/files/job.ts';
import type { StepUse } from '../step/steps.ts';
import { addValue, averageOf, noValues, type SampleStatistics } from './statistics.ts';

/** The measured figures of a job. Without a sample all figures are 0 and mean nothing. */
export interface Observed {
  readonly samples: number;
  readonly peakMemoryBytes: number;
  readonly averageMemoryBytes: number;
  /** 100 is one core. */
  readonly peakCpuPercent: number;
  /** User and system time up to the last sample. */
  readonly cpuSeconds: number;
  /** What the job may use; undefined when there is no limit. */
  readonly memoryLimitBytes?: number | undefined;
}

/** A monitored job. */
export type WatchedJob = Pick<ClaimedJob, 'id' | 'attempt_id' | 'name' | 'need' | 'resource_requirements_id'>;

/** A monitored attempt that has ended, with the figures of its result. */
export interface MeasuredAttempt {
  readonly job: WatchedJob;
  /** Unix milliseconds. */
  readonly startedAtMs: number;
  readonly seconds: number;
  readonly observed: Observed;
  readonly measured: Partial<Completion>;
}

/** What is known of a monitored job. */
export interface Watched {
  readonly job: WatchedJob;
  readonly id: StepId;
  readonly startMs: number;
  /** Until it was reported that the job exceeds it. */
  limitBytes: number | undefined;
  readonly memory: SampleStatistics;
  /** A sample may be recorded a little later when its memory had to be measured precisely. */
  lastLookMs: number;
  highestBytes: number;
  peakCpuPercent: number;
  cpuSeconds: number;
  lastCpuSeconds: number;
  lastMs: number;
  /** Of the last use, on the clock of the process that measured it. */
  lastMeasuredMs: number | undefined;
  isAsked: boolean;
}

export const newlyWatched = (id: StepId, job: WatchedJob, limitBytes: number | undefined, nowMs: number): Watched => ({
  id,
  job,
  startMs: nowMs,
  limitBytes,
  memory: noValues(),
  lastLookMs: nowMs,
  highestBytes: 0,
  peakCpuPercent: 0,
  cpuSeconds: 0,
  lastCpuSeconds: 0,
  lastMs: nowMs,
  lastMeasuredMs: undefined,
  isAsked: false,
});

/** Adds what the job uses at this moment; returns its CPU use since the last one, undefined for a first comparison. */
export function addUse(each: Watched, use: StepUse, atMs: number, memoryBytes: number): number | undefined {
  const { cpuSeconds, peakBytes, isBaseline, measuredAtMs } = use;
  if (isBaseline === true) {
    each.lastCpuSeconds = cpuSeconds;
    each.cpuSeconds = cpuSeconds;
    each.lastMs = atMs;
    each.highestBytes = Math.max(each.highestBytes, memoryBytes);
    return undefined;
  }
  // Figures of another process come late, each by another time: their own clock knows the time between two.
  const { lastMeasuredMs } = each;
  const isTimed = measuredAtMs !== undefined && lastMeasuredMs !== undefined;
  const elapsed = (isTimed ? measuredAtMs - lastMeasuredMs : atMs - each.lastMs) / 1000;
  // A process that was not waited for ended with its CPU time: a lower sum has no meaning.
  const used = Math.max(0, cpuSeconds - each.lastCpuSeconds);
  const cpuPercent = elapsed <= 0 ? 0 : (used / elapsed) * 100;
  each.peakCpuPercent = Math.max(each.peakCpuPercent, cpuPercent);
  each.cpuSeconds += used;
  each.lastCpuSeconds = cpuSeconds;
  each.lastMs = atMs;
  each.lastMeasuredMs = measuredAtMs;
  addValue(each.memory, memoryBytes);
  each.highestBytes = Math.max(each.highestBytes, memoryBytes, peakBytes ?? 0);
  return cpuPercent;
}

export const isOver = ({ limitBytes }: Watched, memoryBytes: number): boolean =>
  limitBytes !== undefined && memoryBytes > limitBytes;

export const observedOf = (each: Watched, memoryLimitBytes: number | undefined): Observed => ({
  samples: each.memory.count,
  peakMemoryBytes: each.highestBytes,
  averageMemoryBytes: Math.round(averageOf(each.memory)),
  peakCpuPercent: each.peakCpuPercent,
  cpuSeconds: each.cpuSeconds,
  memoryLimitBytes,
});
