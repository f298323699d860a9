import { greatest } from '../core/quantity/extremes.ts';
import type { NodePart } from './fill-allocation.ts';
import type { JobGroup } from './job-group.ts';
import type { HpcPartition } from './profile.ts';

/** Node hours of a plan: a part of a node counts as that part, the largest of its CPUs, memory and GPUs. */
export interface NodeHours {
  /** Walltimes of all allocations. */
  readonly asked: number;
  /**
   * Runtimes of all jobs, as if they filled their nodes: the largest of the areas of CPUs, memory and GPUs, for each partition and number
   * of nodes of a job.
   */
  readonly needed: number;
}

const RESOURCES = [
  ['cpus', ({ cpus_per_node: cpus }: HpcPartition) => cpus],
  ['memoryMb', ({ memory_mb: memory }: HpcPartition) => memory],
  ['gpus', ({ gpus_per_node: gpus }: HpcPartition) => gpus ?? 0],
] as const;

/** The share of a node that something takes. */
export const shareOf = (part: NodePart, on: HpcPartition): number =>
  greatest(RESOURCES.map(([name, of]) => (part[name] === 0 ? 0 : Math.min(1, part[name] / of(on)))));

/** Node seconds that jobs need on a partition, so many of each group. */
export const neededSeconds = (jobs: Iterable<readonly [JobGroup, number]>, on: HpcPartition): number => {
  const list = [...jobs];
  const areas = RESOURCES.map(([name, of]) =>
    list.reduce((sum, [group, count]) => {
      const { nodes, runtimeSeconds } = group;
      return group[name] === 0 ? sum : sum + (count * nodes * runtimeSeconds * group[name]) / of(on);
    }, 0),
  );
  return greatest(areas, 0);
};
