import type { AttemptFigures, JobSeries, SystemSeries } from './read.ts';

/** The figures of anything that was measured over time; null where nothing was. */
interface Figures {
  readonly num_samples: number;
  /** The time that its attempts ran; while one runs, and of a node, from the first sample to the last. */
  readonly duration_seconds: number;
  readonly peak_cpu_percent: number | null;
  readonly avg_cpu_percent: number | null;
  readonly peak_memory_bytes: number | null;
  readonly avg_memory_bytes: number | null;
}

/** The figures of a job beside its chart, and in the overview of all jobs. */
export interface JobFigures extends Figures {
  readonly job_id: number;
  readonly job_name: string;
  readonly max_processes: number;
  /** The highest limit of its attempts; null where there was none. */
  readonly memory_limit_bytes: number | null;
}

/**
 * The figures of a job: where its attempts have ended those of their results, which know more than the samples. The kernel
 * knows peaks between two samples, and the time of a CPU exactly.
 */
export function jobFigures(series: JobSeries): JobFigures {
  const { job_id, job_name, timestamps, cpu_percent: cpu, memory_bytes: memory, attempts } = series;
  const sampled = figuresOf(timestamps, cpu, memory);
  return {
    job_id,
    job_name,
    ...sampled,
    ...(attempts.length === 0 ? {} : endedFigures(sampled, attempts)),
    max_processes: highest(series.num_processes) ?? 0,
    memory_limit_bytes: highestOf(attempts, 'memory_limit_bytes', null),
  };
}

/** With several attempts the highest peak, and averages by the time that each ran. */
function endedFigures(sampled: Figures, attempts: readonly AttemptFigures[]): Partial<Figures> {
  const seconds = attempts.reduce((sum, { started, ended }) => sum + (ended - started), 0);
  const average = (field: 'avg_cpu_percent' | 'avg_memory_bytes') => {
    const [only, ...others] = attempts;
    if (only !== undefined && others.length === 0) return only[field] ?? sampled[field];
    if (seconds === 0 || attempts.some((each) => each[field] === null)) return sampled[field];
    return attempts.reduce((sum, each) => sum + ((each[field] ?? 0) * (each.ended - each.started)) / seconds, 0);
  };
  return {
    duration_seconds: seconds,
    peak_cpu_percent: highestOf(attempts, 'peak_cpu_percent', sampled.peak_cpu_percent),
    avg_cpu_percent: average('avg_cpu_percent'),
    peak_memory_bytes: highestOf(attempts, 'peak_memory_bytes', sampled.peak_memory_bytes),
    avg_memory_bytes: rounded(average('avg_memory_bytes')),
  };
}

/** The highest value of a field; `otherwise` where none of the attempts has one. */
function highestOf<Otherwise extends number | null>(
  attempts: readonly AttemptFigures[],
  field: 'memory_limit_bytes' | 'peak_cpu_percent' | 'peak_memory_bytes',
  otherwise: Otherwise,
): number | Otherwise {
  return highest(measured(attempts.map((each) => each[field]))) ?? otherwise;
}

export interface SystemFigures extends Figures {
  readonly database: string;
  readonly total_memory_bytes: number;
}

export function systemFigures({ database, timestamps, ...series }: SystemSeries): SystemFigures {
  return {
    database,
    ...figuresOf(timestamps, measured(series.cpu_percent), measured(series.memory_bytes)),
    total_memory_bytes: highest(measured(series.total_memory_bytes)) ?? 0,
  };
}

const figuresOf = (timestamps: readonly number[], cpu: readonly number[], memory: readonly number[]): Figures => ({
  num_samples: timestamps.length,
  duration_seconds: spanOf(timestamps),
  peak_cpu_percent: highest(cpu),
  avg_cpu_percent: mean(cpu),
  peak_memory_bytes: highest(memory),
  avg_memory_bytes: rounded(mean(memory)),
});

const measured = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);
const highest = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value), 0);
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));
const spanOf = (timestamps: readonly number[]): number => (timestamps.at(-1) ?? 0) - (timestamps[0] ?? 0);
