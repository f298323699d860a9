import type { JobSamples } from '../../core/contract/view.ts';

export interface Sample {
  readonly atMs: number;
  readonly cpuPercent: number;
  readonly memoryBytes: number;
  readonly processes: number;
}

/** The columns of a reply as rows; none where a column is missing. */
export function samplesOf({
  at_ms: times,
  cpu_percent: cpu,
  memory_bytes: memory,
  num_processes: processes,
}: JobSamples) {
  return (times ?? []).map((atMs, at): Sample => ({
    atMs,
    cpuPercent: cpu?.[at] ?? 0,
    memoryBytes: memory?.[at] ?? 0,
    processes: processes?.[at] ?? 0,
  }));
}

/** How much later than at its interval a sample may be, before the time between is one without samples: programs are delayed. */
const LATE = 3;

/**
 * The time that each sample stands for: to the next one, or as long as usual where that is missing. The first samples of a job are closer
 * than the interval, and points of many samples further apart.
 */
export function sampleSteps(samples: readonly Sample[], intervalMs: number) {
  const gaps = samples.slice(1).map(({ atMs }, at) => atMs - (samples[at]?.atMs ?? 0));
  const usualMs = Math.max(intervalMs, gaps.toSorted((one, other) => one - other)[gaps.length >> 1] ?? 0);
  const points = samples.map((sample, at) => {
    const gapMs = gaps[at] ?? Math.min(usualMs, gaps.at(-1) ?? usualMs);
    return { sample, ms: sample.atMs, endMs: sample.atMs + (gapMs <= LATE * usualMs ? gapMs : usualMs) };
  });
  const fromMs = samples[0]?.atMs ?? 0;
  return { fromMs, untilMs: Math.max(points.at(-1)?.endMs ?? 0, fromMs + 1), points };
}
