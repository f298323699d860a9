import type { JobSeries, SystemSeries } from './read.ts';

/** The figures of anything that was measured over time. */
interface Figures {
  readonly num_samples: number;
  /** From the first sample to the last. */
  readonly duration_seconds: number;
  readonly peak_cpu_percent: number;
  readonly avg_cpu_percent: number;
  readonly peak_memory_bytes: number;
  readonly avg_memory_bytes: number;
}

/** The figures of a job beside its chart, and in the overview of all jobs. */
export interface JobFigures extends Figures {
  readonly job_id: number;
  readonly job_name: string;
  readonly max_processes: number;
}

export function jobFigures(series: JobSeries): JobFigures {
  const { job_id, job_name, timestamps, cpu_percent: cpu, memory_bytes: memory } = series;
  return {
    job_id,
    job_name,
    ...figuresOf(timestamps, cpu, memory),
    max_processes: highest(series.num_processes),
  };
}

export interface SystemFigures extends Figures {
  readonly database: string;
  readonly total_memory_bytes: number;
}

export function systemFigures({ database, timestamps, ...series }: SystemSeries): SystemFigures {
  return {
    database,
    ...figuresOf(timestamps, measured(series.cpu_percent), measured(series.memory_bytes)),
    total_memory_bytes: highest(measured(series.total_memory_bytes)),
  };
}

const figuresOf = (timestamps: readonly number[], cpu: readonly number[], memory: readonly number[]): Figures => ({
  num_samples: timestamps.length,
  duration_seconds: spanOf(timestamps),
  peak_cpu_percent: highest(cpu),
  avg_cpu_percent: mean(cpu),
  peak_memory_bytes: highest(memory),
  avg_memory_bytes: Math.round(mean(memory)),
});

const measured = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
const highest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
const spanOf = (timestamps: readonly number[]): number => (timestamps.at(-1) ?? 0) - (timestamps[0] ?? 0);
