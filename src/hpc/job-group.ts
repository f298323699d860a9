import { greatest } from '../core/quantity/extremes.ts';
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

/** One group of several: it needs the largest of each. They have the same number of nodes and the same scheduler of before. */
export function joined(groups: readonly JobGroup[]): JobGroup {
  const [first] = groups as [JobGroup];
  const most = (of: (group: JobGroup) => number) => greatest(groups.map(of));
  return {
    requirements: [...new Set(groups.flatMap(({ requirements }) => requirements))],
    cpus: most(({ cpus }) => cpus),
    memoryMb: most(({ memoryMb }) => memoryMb),
    gpus: most(({ gpus }) => gpus),
    nodes: first.nodes,
    runtimeSeconds: most(({ runtimeSeconds }) => runtimeSeconds),
    isDeferred: groups.every(({ isDeferred }) => isDeferred),
    kept: first.kept,
    jobs: groups.flatMap(({ jobs }) => jobs),
  };
}
