import type { KeptScheduler } from './kept-scheduler.ts';

/** Jobs with the same requirements; those that wait for others stand apart, because their allocations are not needed yet. */
export interface JobGroup {
  /** Names of the requirements. */
  readonly requirements: readonly string[];
  readonly cpus: number;
  readonly memoryMb: number;
  readonly gpus: number;
  readonly nodes: number;
  readonly runtimeSeconds: number;
  readonly isDeferred: boolean;
  /** The scheduler that these jobs had, or would have used. */
  readonly kept?: KeptScheduler | undefined;
  readonly jobs: readonly PlannedJobName[];
}

interface PlannedJobName {
  readonly name: string;
  /** Its number among all jobs of the workflow. */
  readonly number: number;
}
