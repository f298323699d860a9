import { LONGEST_TIMER_MS } from '../../client/long-timers.ts';
import type { Watched } from './watched.ts';

/** Ages of a job, in milliseconds, at which it is sampled in addition to the regular interval. */
const EARLY_MS = [500, 2_000, 5_000];
/** Samples are taken at multiples of this, so that jobs which start one after another share them. */
const GRID_MS = 500;
/** The maximum share of time for samples: many jobs that start one after another each require one. */
const LARGEST_SHARE = 1 / 50;

/** When the jobs of a runner are sampled; the runner is not woken without need. All times are of the monotonic clock. */
export interface SampleTimes {
  /** A job started: its first sample comes early. */
  started(nowMs: number): void;
  /** A regular sample is due, and no other one before the next interval. */
  regular(atMs: number): void;
  /** A sample of all jobs took until now. */
  sampled(atMs: number): void;
  /** Only regular samples enforce limits: a job of one second with a limit that is too low is not killed. */
  isRegular(nowMs: number): boolean;
  close(): void;
}

export function createSampleTimes(
  intervalMs: number,
  watched: ReadonlyMap<unknown, Pick<Watched, 'startMs' | 'lastLookMs'>>,
  onDue: (nowMs: number) => void,
): SampleTimes {
  const ages = EARLY_MS.filter((age) => age < intervalMs);
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
    if (watched.size > 0 && isDue(nowMs)) onDue(nowMs);
    wakeBy(Math.max(nextDue(), nowMs + 1));
  };

  return {
    started: (nowMs) => wakeBy(nowMs + (ages[0] ?? intervalMs)),
    regular(atMs) {
      lastRegularMs = atMs;
    },
    sampled(atMs) {
      lastSweepMs = atMs;
      lastCostMs = performance.now() - atMs;
    },
    isRegular,
    close: () => clearTimeout(timer),
  };
}
