import type { Uint } from '../../core/contract/sonar/kinds.ts';

/** Rows of hours: what stands for samples that are deleted. */

/** What one job did on one node in one hour, made of its samples when their day was closed. */
export interface JobHour {
  readonly cluster: string;
  readonly node: string;
  /** Begin of the hour. */
  readonly time: number;
  readonly job: Uint;
  readonly epoch: Uint;
  readonly user: string;
  /** The most frequent command. */
  readonly cmd: string;
  readonly first: number;
  readonly last: number;
  readonly samples: number;
  /** The most at a sample. */
  readonly processes: number;
  readonly cpuSeconds: Uint;
  readonly peakCpuPercent: number;
  readonly memoryKb: Uint;
  readonly peakMemoryKb: Uint;
  readonly gpuPercent: number;
  readonly peakGpuMemoryKb: Uint;
  readonly cards: string;
}

export interface ClosedJobHours {
  readonly hours: readonly JobHour[];
  /** Of these days, no samples need to be read. */
  readonly days: readonly number[];
}

/** What one node did in one hour. */
export interface NodeHour {
  readonly cluster: string;
  readonly node: string;
  readonly time: number;
  readonly first: number;
  readonly last: number;
  readonly boot: number | undefined;
  readonly samples: number;
  readonly cores: number;
  /** Undefined where nothing is known of it, as behind a boot. */
  readonly cpuPercent: number | undefined;
  readonly usedMemoryKb: Uint;
  readonly load1: number;
  readonly cards: number;
  readonly gpuPercent: number | undefined;
  readonly gpuMemoryKb: Uint;
}
