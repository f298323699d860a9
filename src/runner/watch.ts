import { readPeakBytes, readProcesses } from '../cluster/host/proc.ts';
import { useByRoot } from '../cluster/host/process-tree.ts';

/** What was seen of a job while it ran. */
export interface Observed {
  readonly samples: number;
  readonly peakMemoryBytes: number;
  readonly averageMemoryBytes: number;
  /** 100 is one core. */
  readonly peakCpuPercent: number;
}

interface Watched {
  readonly startMs: number;
  samples: number;
  peakMemoryBytes: number;
  memorySum: number;
  peakCpuPercent: number;
  lastCpuSeconds: number;
  lastMs: number;
}

/**
 * Samples the running jobs, their whole trees of processes, from the one reader of /proc.
 *
 * A job that ends before its first sample has none. The first come early, so that jobs of a second or two are seen too;
 * then one every `intervalSeconds`.
 */
export interface Watch {
  begin(pid: number, nowMs: number): void;
  /** What was seen of the job; it is watched no more. */
  end(pid: number): Observed | undefined;
  close(): void;
}

/** Ages of a job, in milliseconds, at which it is looked at before the regular interval applies. */
const EARLY_MS = [500, 2_000, 5_000];
const TICK_MS = 500;

export function createWatch(intervalSeconds: number, now: () => number): Watch {
  const watched = new Map<number, Watched>();
  let timer: NodeJS.Timeout | undefined;
  let lastSweepMs = now();

  const isDue = (nowMs: number): boolean => {
    if (nowMs - lastSweepMs >= intervalSeconds * 1000) return true;
    for (const { startMs, samples } of watched.values()) {
      const early = EARLY_MS[samples];
      if (early !== undefined && early < intervalSeconds * 1000 && nowMs - startMs >= early) return true;
    }
    return false;
  };

  const sweep = () => {
    const nowMs = now();
    if (!isDue(nowMs)) return;
    lastSweepMs = nowMs;
    for (const [pid, { cpuSeconds, residentBytes, pids }] of useByRoot(readProcesses(), new Set(watched.keys()))) {
      const job = watched.get(pid);
      if (job === undefined) continue;
      const elapsed = (nowMs - job.lastMs) / 1000;
      // A child that ended took its time along: a negative difference says nothing.
      if (job.samples > 0 && elapsed > 0) {
        job.peakCpuPercent = Math.max(job.peakCpuPercent, ((cpuSeconds - job.lastCpuSeconds) / elapsed) * 100);
      }
      job.lastCpuSeconds = cpuSeconds;
      job.lastMs = nowMs;
      job.samples += 1;
      job.memorySum += residentBytes;
      const highest = pids.length === 1 ? (readPeakBytes(pids[0] as number) ?? 0) : 0;
      job.peakMemoryBytes = Math.max(job.peakMemoryBytes, residentBytes, highest);
    }
  };

  return {
    begin(pid, nowMs) {
      watched.set(pid, {
        startMs: nowMs,
        samples: 0,
        peakMemoryBytes: 0,
        memorySum: 0,
        peakCpuPercent: 0,
        lastCpuSeconds: 0,
        lastMs: nowMs,
      });
      timer ??= setInterval(sweep, TICK_MS);
    },
    end(pid) {
      const job = watched.get(pid);
      watched.delete(pid);
      if (job === undefined || job.samples === 0) return undefined;
      return {
        samples: job.samples,
        peakMemoryBytes: job.peakMemoryBytes,
        averageMemoryBytes: Math.round(job.memorySum / job.samples),
        peakCpuPercent: job.peakCpuPercent,
      };
    },
    close: () => clearInterval(timer),
  };
}
