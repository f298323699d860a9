import { LONGEST_TIMER_MS } from '../../client/long-timers.ts';
import type { Watched } from './watched.ts';

/**
 * Ages of a job, in milliseconds, at which it is sampled in addition to the regular interval: each twice the one before, so that
 * a job that allocates all its memory at once is seen soon, and one that runs for hours costs no more than one of a minute.
 */
export const GROWING_AGES_MS: readonly number[] = [100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600];
/** The same where a sample costs more: a program of Slurm that asks the daemons of all nodes, or one look at hundreds of short jobs. */
export const SPARSE_AGES_MS: readonly number[] = [500, 2_000, 5_000];
/** Samples are taken at multiples of this, so that jobs which start one after another share them. */
const GRID_MS = 100;
/** The maximum share of time for samples: many jobs that start one after another each require one. */
const LARGEST_SHARE = 1 / 50;

/** When the jobs of a runner are sampled; the runner is not woken without need. All times are of the monotonic clock. */
export interface SampleTimes {
  /** A job started: its first sample comes early. */
  started(nowMs: number): void;
  /** A sample of all jobs took until now. */
  sampled(atMs: number): void;
  close(): void;
}

export function createSampleTimes(
  intervalMs: number,
  watched: ReadonlyMap<unknown, Pick<Watched, 'startMs' | 'lastLookMs'>>,
  onDue: (nowMs: number) => void,
  agesMs: readonly number[] = GROWING_AGES_MS,
): SampleTimes {
  const ages = agesMs.filter((age) => age < intervalMs);
  const gridMs = performance.now();
  let lastSweepMs = gridMs;
  let lastRegularMs = gridMs;
  let lastCostMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;

  const isRegular = (nowMs: number) => nowMs - lastRegularMs >= intervalMs;

  const isDue = (nowMs: number): boolean => {
    if (isRegular(nowMs)) return true;
    if ((nowMs - lastSweepMs) * LARGEST_SHARE < lastCostMs) return false;
    for (const { startMs, lastLookMs } of watched.values()) {
      for (const age of ages) if (nowMs - startMs >= age && lastLookMs - startMs < age) return true;
    }
    return false;
  };

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
    if (watched.size > 0 && isDue(nowMs)) {
      if (isRegular(nowMs)) lastRegularMs = nowMs;
      onDue(nowMs);
    }
    wakeBy(Math.max(nextDue(), nowMs + 1));
  };

  return {
    started: (nowMs) => wakeBy(nowMs + (ages[0] ?? intervalMs)),
    sampled(atMs) {
      lastSweepMs = atMs;
      lastCostMs = performance.now() - atMs;
    },
    close: () => clearTimeout(timer),
  };
}
