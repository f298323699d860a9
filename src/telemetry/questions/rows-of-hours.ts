import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { OnNode } from './rows-of-samples.ts';

/** Rows of hours: what stands for samples that are deleted. */

/** What one job did on one node in the hour that begins at `time`, made of its samples when their day was closed. */
export interface JobHour extends OnNode {
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

export interface NodeHour extends OnNode {
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
