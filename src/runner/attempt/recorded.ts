import type { Completion } from '../../core/contract/exchange.ts';
import type { Observed } from '../observe/watch.ts';
import type { SettledEnd } from '../step/steps.ts';

/** What is known of the end of a step that was started. */
export type KnownEnd = Omit<SettledEnd, 'refused'>;

/** What its result records of an attempt beside its verdict: figures and outputs. */
export const recordedOf = (
  account: KnownEnd,
  figures: Partial<Completion>,
  files: Completion['files'],
): Partial<Completion> => ({ ...figures, ...(files === undefined ? {} : { files }), ...statsOf(account, figures) });

/** The statistics of Slurm. It has none of an attempt that ran inside a step of its runner: our own figures stand in. */
function statsOf(
  { stats, cpuSeconds }: KnownEnd,
  { peak_memory_bytes: peakBytes }: Partial<Completion>,
): Pick<Completion, 'slurm_stats'> {
  if (stats === undefined) return {};
  const own = stats.slurm_step === undefined ? {} : { max_rss_bytes: peakBytes, ave_cpu_seconds: cpuSeconds };
  return { slurm_stats: { ...own, ...stats } };
}

/** The figures of the kernel and of the samples for an attempt; one that was not measured is absent, also for a monitored job. */
export function recordedUseOf(
  { cpuSeconds, peakBytes }: Pick<SettledEnd, 'cpuSeconds' | 'peakBytes'>,
  seconds: number,
  observed: Observed | undefined,
): Partial<Completion> {
  const sampled = observed === undefined || observed.samples === 0 ? undefined : observed;
  const used = cpuSeconds ?? sampled?.cpuSeconds;
  const average = used === undefined || seconds <= 0 ? undefined : (used / seconds) * 100;
  const peakCpu = Math.max(sampled?.peakCpuPercent ?? 0, average ?? 0);
  // A step of Slurm may have a first figure, and end before there is another one to compare with.
  const peakMemory = Math.max(observed?.peakMemoryBytes ?? 0, peakBytes ?? 0);
  return {
    ...(average === undefined ? {} : { avg_cpu_percent: average, peak_cpu_percent: peakCpu }),
    ...(peakMemory === 0 ? {} : { peak_memory_bytes: peakMemory }),
    ...(sampled === undefined ? {} : { avg_memory_bytes: sampled.averageMemoryBytes }),
  };
}
