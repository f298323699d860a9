import type { ProfileStep, TelemetryProfile } from '../../core/contract/telemetry.ts';

/** The sum over the nodes of a job at one time. */
interface Sum {
  readonly ms: number;
  readonly cpus: number;
  readonly bytes: number;
  readonly gpu: number;
  readonly gpuBytes: number;
}

/**
 * The steps of several nodes as one line, in the order of time. Nodes take their samples at times of their own: those of one step count
 * as one time, and of one node their average.
 */
export function sumsOver(steps: readonly ProfileStep[], stepMs: number): Sum[] {
  const byTime = Map.groupBy(steps, ({ time }) => Math.floor(Date.parse(time) / stepMs) * stepMs);
  return [...byTime]
    .map(([ms, each]) => {
      const samples = Map.groupBy(each, ({ node }) => node);
      const sum = (value: (step: ProfileStep) => number) =>
        [...samples.values()].reduce(
          (total, own) => total + own.reduce((part, step) => part + value(step), 0) / own.length,
          0,
        );
      return {
        ms,
        cpus: sum((step) => step.cpu_percent) / 100,
        bytes: sum((step) => step.memory_kb) * 1024,
        gpu: sum((step) => step.gpu_percent),
        gpuBytes: sum((step) => step.gpu_memory_kb) * 1024,
      };
    })
    .toSorted((one, other) => one.ms - other.ms);
}

/** The length of the steps in seconds; of single samples, the usual distance between two of them. */
export function stepOf({ every_seconds: every, steps }: TelemetryProfile): number {
  if (every > 0) return every;
  const times = [...new Set(steps.map(({ time }) => Date.parse(time)))].toSorted((one, other) => one - other);
  const gaps = times.slice(1).map((ms, index) => ms - (times[index] ?? ms));
  return Math.max(1, (gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 60_000) / 1000);
}
