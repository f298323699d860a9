import type { StepId } from '../../core/contract/files/job.ts';
import { LONGEST_TIMER_MS } from '../../client/long-timers.ts';
import type { ClaimedJob } from '../../core/contract/exchange.ts';
import { createStatistics, type Statistics } from './statistics.ts';
import type { StepUse, Uses } from '../step/steps.ts';

/** The measured figures of a job. Without a sample all figures are 0. */
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

/** One sample of one job. */
export interface JobSample {
  readonly job: WatchedJob;
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** A job that exceeds its memory limit. */
export interface Violation {
  readonly id: StepId;
  readonly job: WatchedJob;
  readonly memoryBytes: number;
  readonly limitBytes: number;
}

export interface WatchOptions {
  readonly intervalSeconds: number;
  /** The present use of the steps. */
  readonly observe: (ids: ReadonlySet<StepId>) => Uses | Promise<Uses>;
  /** The memory limit of the job; undefined if there is none. */
  readonly limitOf: (job: WatchedJob) => number | undefined;
  readonly onSample?: ((sample: JobSample) => void) | undefined;
}

interface Watched {
  readonly job: WatchedJob;
  readonly id: StepId;
  readonly startMs: number;
  /** Until it was reported that the job exceeds it. */
  limitBytes: number | undefined;
  readonly memory: Statistics;
  /** A sample may be recorded a little later when its memory had to be measured precisely. */
  lastLookMs: number;
  highestBytes: number;
  peakCpuPercent: number;
  cpuSeconds: number;
  lastCpuSeconds: number;
  lastMs: number;
  isAsked: boolean;
}

/**
 * Samples the running jobs, all of them at once, and reports those that exceed their memory limit.
 *
 * A job that ends before its first sample has none. The first samples are early, so that jobs of a second or two are
 * measured too, and a job that allocates all memory at once is ended soon; then one sample every `intervalSeconds`.
 */
export interface Watch {
  begin(id: StepId, job: WatchedJob): void;
  /** The figures of the job; monitoring of it ends. */
  end(id: StepId): Observed | undefined;
  /** Names the receiver of jobs that exceed their memory limit. */
  onViolation(receiver: (violation: Violation) => void): void;
  close(): void;
}

/** Ages of a job, in milliseconds, at which it is sampled in addition to the regular interval. */
const EARLY_MS = [500, 2_000, 5_000];
/** Samples are taken at multiples of this, so that jobs which start one after another share them. */
const GRID_MS = 500;
/** The maximum share of time for samples: many jobs that start one after another each require one. */
const LARGEST_SHARE = 1 / 50;

export function createWatch(options: WatchOptions): Watch {
  const { intervalSeconds, observe, limitOf, onSample } = options;
  const watched = new Map<StepId, Watched>();
  let violated: (violation: Violation) => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;
  const intervalMs = intervalSeconds * 1000;
  const ages = EARLY_MS.filter((age) => age < intervalMs);
  // All times except that of a sample are of the monotonic clock.
  const gridMs = performance.now();
  let lastSweepMs = gridMs;
  let lastRegularMs = lastSweepMs;
  let lastCostMs = 0;

  /** Only regular samples enforce limits: a job of one second with a limit that is too low is not killed. */
  const isRegular = (nowMs: number) => nowMs - lastRegularMs >= intervalMs;

  const isDue = (nowMs: number): boolean => {
    if (isRegular(nowMs)) return true;
    if ((nowMs - lastSweepMs) * LARGEST_SHARE < lastCostMs) return false;
    for (const { startMs, lastLookMs } of watched.values()) {
      for (const age of ages) if (nowMs - startMs >= age && lastLookMs - startMs < age) return true;
    }
    return false;
  };

  /** When the next sample is due; the runner is not woken without need. */
  const nextDue = (): number => {
    const restMs = lastSweepMs + lastCostMs / LARGEST_SHARE;
    let due = watched.size === 0 ? Infinity : lastRegularMs + intervalMs;
    for (const { startMs, lastLookMs } of watched.values()) {
      const age = ages.find((each) => lastLookMs - startMs < each);
      if (age !== undefined) due = Math.min(due, Math.max(startMs + age, restMs));
    }
    return due;
  };

  const wakeBy = (dueMs: number) => {
    const at = gridMs + Math.ceil((dueMs - gridMs) / GRID_MS) * GRID_MS;
    if (at >= wakesAtMs) return;
    clearTimeout(timer);
    wakesAtMs = at;
    timer = setTimeout(wake, Math.min(LONGEST_TIMER_MS, Math.ceil(at - performance.now())));
  };

  const wake = () => {
    wakesAtMs = Infinity;
    const nowMs = performance.now();
    if (watched.size > 0 && isDue(nowMs)) sweep(nowMs);
    wakeBy(Math.max(nextDue(), nowMs + 1));
  };

  /** A sample is being taken, by somebody who answers later; the next one waits for that. */
  let isObserving = false;
  const sweep = (nowMs: number) => {
    const enforcesLimits = isRegular(nowMs);
    if (enforcesLimits) lastRegularMs = nowMs;
    for (const each of watched.values()) each.lastLookMs = nowMs;
    if (isObserving) return;
    const uses = observe(new Set(watched.keys()));
    if (uses instanceof Promise) {
      isObserving = true;
      void uses.then((later) => {
        isObserving = false;
        takeAll(later, performance.now(), enforcesLimits);
      });
    } else takeAll(uses, nowMs, enforcesLimits);
    lastSweepMs = nowMs;
    lastCostMs = performance.now() - nowMs;
  };

  const takeAll = (uses: Uses, atMs: number, enforcesLimits: boolean) => {
    for (const [id, use] of uses) {
      const each = watched.get(id);
      if (each === undefined || each.isAsked) continue;
      // Shared memory, between processes or as libraries, may be counted several times here, and no job may be killed for
      // that.
      if (use.exactly !== undefined && isOver(each, use.memoryBytes)) void ask(each, use, atMs, enforcesLimits);
      else take(each, use, atMs, use.memoryBytes, enforcesLimits);
    }
  };

  const ask = async (each: Watched, use: StepUse, atMs: number, enforcesLimits: boolean) => {
    each.isAsked = true;
    const memoryBytes = (await use.exactly?.()) ?? use.memoryBytes;
    each.isAsked = false;
    if (watched.get(each.id) === each) take(each, use, atMs, Math.min(memoryBytes, use.memoryBytes), enforcesLimits);
  };

  const take = (
    each: Watched,
    { processes, cpuSeconds, peakBytes, isBaseline }: StepUse,
    atMs: number,
    memoryBytes: number,
    enforcesLimits: boolean,
  ) => {
    const { id, job, limitBytes, memory } = each;
    if (isBaseline === true) {
      each.lastCpuSeconds = cpuSeconds;
      each.cpuSeconds = cpuSeconds;
      each.lastMs = atMs;
      each.highestBytes = Math.max(each.highestBytes, memoryBytes);
      return;
    }
    const elapsed = (atMs - each.lastMs) / 1000;
    // A process that was not waited for ended with its CPU time: a lower sum has no meaning.
    const used = Math.max(0, cpuSeconds - each.lastCpuSeconds);
    const cpuPercent = elapsed <= 0 ? 0 : (used / elapsed) * 100;
    each.peakCpuPercent = Math.max(each.peakCpuPercent, cpuPercent);
    each.cpuSeconds += used;
    each.lastCpuSeconds = cpuSeconds;
    each.lastMs = atMs;
    memory.add(memoryBytes);
    each.highestBytes = Math.max(each.highestBytes, memoryBytes, peakBytes ?? 0);
    onSample?.({ job, atMs: Date.now(), cpuPercent, memoryBytes, processes });
    if (!enforcesLimits || limitBytes === undefined || memoryBytes <= limitBytes) return;
    each.limitBytes = undefined;
    violated({ id, job, memoryBytes, limitBytes });
  };

  return {
    begin(id, job) {
      const nowMs = performance.now();
      watched.set(id, {
        id,
        job,
        startMs: nowMs,
        limitBytes: limitOf(job),
        memory: createStatistics(),
        lastLookMs: nowMs,
        highestBytes: 0,
        peakCpuPercent: 0,
        cpuSeconds: 0,
        lastCpuSeconds: 0,
        lastMs: nowMs,
        isAsked: false,
      });
      wakeBy(nowMs + (ages[0] ?? intervalMs));
    },
    end(id) {
      const each = watched.get(id);
      if (each === undefined) return undefined;
      watched.delete(id);
      return {
        samples: each.memory.count,
        peakMemoryBytes: each.highestBytes,
        averageMemoryBytes: Math.round(each.memory.average),
        peakCpuPercent: each.peakCpuPercent,
        cpuSeconds: each.cpuSeconds,
        memoryLimitBytes: limitOf(each.job),
      };
    },
    onViolation(receiver) {
      violated = receiver;
    },
    close: () => clearTimeout(timer),
  };
}

const isOver = ({ limitBytes }: Watched, memoryBytes: number) => limitBytes !== undefined && memoryBytes > limitBytes;
