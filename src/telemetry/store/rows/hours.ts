import { amountCell, type CellsOfRow, numberCell, optional, textCell, uint } from './cells.ts';

/** Rows of hours: what stands for samples that are deleted. */

/** What one job did on one node in the hour that begins at `time`, made of its samples when their day was closed. */
export const jobHourOf = (row: CellsOfRow, cluster: string) => ({
  cluster,
  node: textCell(row, 'node_name'),
  time: numberCell(row, 'time'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  user: textCell(row, 'user_name'),
  /** The most frequent command. */
  cmd: textCell(row, 'cmd_name'),
  first: numberCell(row, 'first'),
  last: numberCell(row, 'last'),
  samples: numberCell(row, 'samples'),
  /** The most at a sample. */
  processes: numberCell(row, 'processes'),
  cpuSeconds: amountCell(row, 'cpu_seconds'),
  peakCpuPercent: numberCell(row, 'peak_cpu_percent'),
  memoryKb: amountCell(row, 'memory_kb'),
  peakMemoryKb: amountCell(row, 'peak_memory_kb'),
  gpuPercent: numberCell(row, 'gpu_percent'),
  peakGpuMemoryKb: amountCell(row, 'peak_gpu_memory_kb'),
  cards: textCell(row, 'cards'),
});
export type JobHour = Readonly<ReturnType<typeof jobHourOf>>;

export interface ClosedJobHours {
  readonly hours: readonly JobHour[];
  /** Of these days, no samples need to be read. */
  readonly days: readonly number[];
}

export const nodeHourOf = (row: CellsOfRow, cluster: string) => ({
  cluster,
  node: textCell(row, 'node_name'),
  time: numberCell(row, 'time'),
  first: numberCell(row, 'first'),
  last: numberCell(row, 'last'),
  boot: optional(row, 'boot'),
  samples: numberCell(row, 'samples'),
  cores: numberCell(row, 'cores'),
  /** Undefined where nothing is known of it, as behind a boot. */
  cpuPercent: optional(row, 'cpu_percent'),
  usedMemoryKb: amountCell(row, 'used_memory_kb'),
  load1: numberCell(row, 'load1'),
  cards: numberCell(row, 'cards'),
  gpuPercent: optional(row, 'gpu_percent'),
  gpuMemoryKb: amountCell(row, 'gpu_memory_kb'),
});
export type NodeHour = Readonly<ReturnType<typeof nodeHourOf>>;
