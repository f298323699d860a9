import { LONGEST_TIMER_MS } from '../client/long-timers.ts';
import type { TreeUse } from '../cluster/host/process-tree.ts';
import type { ClaimedJob } from '../core/contract/exchange.ts';
import { createStatistics, type Statistics } from './monitor/statistics.ts';

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
  readonly job: WatchedJob;
  readonly pid: number;
  readonly memoryBytes: number;
  readonly limitBytes: number;
  /** Reads its present processes. */
  readonly members: () => readonly number[];
}

export interface WatchOptions {
  readonly intervalSeconds: number;
  /** The present use of the processes of each job, by their first processes. */
  readonly look: (roots: ReadonlySet<number>) => ReadonlyMap<number, TreeUse>;
  /** The peak memory of a process. */
  readonly peakOf: (pid: number) => number | undefined;
  /** Memory of processes together, shared memory counted once. Off the main thread, because it may take long. */
  readonly memoryOf: (pids: readonly number[]) => Promise<number>;
  /** The memory limit of the job; undefined if there is none. */
  readonly limitOf: (job: WatchedJob) => number | undefined;
  readonly onViolation: (violation: Violation) => void;
  readonly onSample?: ((sample: JobSample) => void) | undefined;
}

interface Watched {
  readonly job: WatchedJob;
  readonly pid: number;
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
 * Samples the running jobs with all their processes, with one reader of /proc, and reports those that exceed their
 * memory limit.
 *
 * A job that ends before its first sample has none. The first samples are early, so that jobs of a second or two are
 * measured too, and a job that allocates all memory at once is ended soon; then one sample every `intervalSeconds`.
 */
export interface Watch {
  begin(pid: number, job: WatchedJob): void;
  /** The figures of the job; monitoring of it ends. */
  end(pid: number): Observed | undefined;
  /** The first process of a monitored attempt. */
  find(jobId: number, attemptId: number): number | undefined;
  close(): void;
}

/** Ages of a job, in milliseconds, at which it is sampled in addition to the regular interval. */
const EARLY_MS = [500, 2_000, 5_000];
/** Samples are taken at multiples of this, so that jobs which start one after another share them. */
const GRID_MS = 500;
/** The maximum share of time for samples: many jobs that start one after another each require one. */
const LARGEST_SHARE = 1 / 50;

export function createWatch(options: WatchOptions): Watch {
  const { intervalSeconds, look, peakOf, memoryOf, limitOf, onViolation, onSample } = options;
  const watched = new Map<number, Watched>();
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

  const sweep = (nowMs: number) => {
    const holdsLimits = isRegular(nowMs);
    if (holdsLimits) lastRegularMs = nowMs;
    for (const each of watched.values()) each.lastLookMs = nowMs;
    for (const [pid, use] of looked()) {
      const each = watched.get(pid);
      if (each === undefined || each.isAsked) continue;
      // Shared memory, between processes or as libraries, is counted several times here, and no job may be killed for
      // that.
      if (isOver(each, use.residentBytes)) void ask(each, use, nowMs, holdsLimits);
      else take(each, use, nowMs, use.residentBytes, false);
    }
    lastSweepMs = nowMs;
    lastCostMs = performance.now() - nowMs;
  };

  const ask = async (each: Watched, use: TreeUse, atMs: number, holdsLimits: boolean) => {
    each.isAsked = true;
    const memoryBytes = await memoryOf(use.members.map(({ pid }) => pid));
    each.isAsked = false;
    if (watched.get(each.pid) === each) take(each, use, atMs, Math.min(memoryBytes, use.residentBytes), holdsLimits);
  };

  const take = (
    each: Watched,
    { members, cpuSeconds }: TreeUse,
    atMs: number,
    memoryBytes: number,
    holdsLimits: boolean,
  ) => {
    const { job, pid, limitBytes, memory } = each;
    const elapsed = (atMs - each.lastMs) / 1000;
    // A process that was not waited for ended with its CPU time: a lower sum has no meaning.
    const used = Math.max(0, cpuSeconds - each.lastCpuSeconds);
    const cpuPercent = elapsed <= 0 ? 0 : (used / elapsed) * 100;
    each.peakCpuPercent = Math.max(each.peakCpuPercent, cpuPercent);
    each.cpuSeconds += used;
    each.lastCpuSeconds = cpuSeconds;
    each.lastMs = atMs;
    memory.add(memoryBytes);
    const [only] = members.length === 1 ? members : [];
    each.highestBytes = Math.max(each.highestBytes, memoryBytes, only === undefined ? 0 : (peakOf(only.pid) ?? 0));
    onSample?.({ job, atMs: Date.now(), cpuPercent, memoryBytes, processes: members.length });
    if (!holdsLimits || limitBytes === undefined || memoryBytes <= limitBytes) return;
    each.limitBytes = undefined;
    onViolation({ job, pid, memoryBytes, limitBytes, members: () => membersOf(pid) });
  };

  const looked = () => look(new Set(watched.keys()));
  const membersOf = (root: number) => (looked().get(root)?.members ?? []).map(({ pid }) => pid);

  return {
    begin(pid, job) {
      const nowMs = performance.now();
      watched.set(pid, {
        job,
        pid,
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
    end(pid) {
      const each = watched.get(pid);
      if (each === undefined) return undefined;
      watched.delete(pid);
      return {
        samples: each.memory.count,
        peakMemoryBytes: each.highestBytes,
        averageMemoryBytes: Math.round(each.memory.average),
        peakCpuPercent: each.peakCpuPercent,
        cpuSeconds: each.cpuSeconds,
        memoryLimitBytes: limitOf(each.job),
      };
    },
    find(jobId, attemptId) {
      for (const { job, pid } of watched.values()) if (job.id === jobId && job.attempt_id === attemptId) return pid;
      return undefined;
    },
    close: () => clearTimeout(timer),
  };
}

const isOver = ({ limitBytes }: Watched, memoryBytes: number) => limitBytes !== undefined && memoryBytes > limitBytes;
