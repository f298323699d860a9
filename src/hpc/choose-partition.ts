import type { HpcPartition } from './profile.ts';

/** What one allocation, or one job, needs of a node. */
export interface NodeNeeds {
  readonly cpus: number;
  readonly memoryMb: number;
  readonly walltimeSeconds: number;
  /** 0: none asked for. */
  readonly gpus: number;
}

/** Whether a node of the partition has that much. Limits on nodes, sharing and routing play no part. */
export const canServe = (partition: HpcPartition, needs: NodeNeeds): boolean =>
  needs.cpus <= partition.cpus_per_node &&
  needs.memoryMb <= partition.memory_mb &&
  needs.walltimeSeconds <= partition.max_walltime_secs &&
  (needs.gpus === 0 || needs.gpus <= (partition.gpus_per_node ?? 0));

/** Up to here a job counts as small: parts of nodes are better for it than whole ones. */
const SMALL_CPUS = 26;
const SMALL_MEMORY_MB = 60_000;

/**
 * The partition that a person would choose: the default one of a cluster that was asked, or else the one with the least memory that serves the request, then the shortest.
 *
 * Partitions for tests are the last choice; jobs with GPUs go to GPU nodes, other jobs do not; partitions that must be
 * named in the script are chosen only where Slurm routes to no other. Of equal ones the first of the list is chosen.
 */
export function choosePartition(partitions: readonly HpcPartition[], needs: NodeNeeds): HpcPartition | undefined {
  const serving = partitions.filter((each) => canServe(each, needs));
  const own = serving.find((each) => each.is_default === true);
  if (own !== undefined) return own;
  const lasting = serving.filter(({ name }) => !name.toLowerCase().includes('debug'));
  const candidates = lasting.length === 0 ? serving : lasting;
  const isFree = (each: HpcPartition) => !each.requires_explicit_request;
  const withGpus = candidates.filter((each) => (each.gpus_per_node ?? 0) > 0);
  if (needs.gpus > 0) return smallest(withGpus.filter(isFree)) ?? smallest(withGpus);
  const cpuOnly = candidates.filter((each) => (each.gpus_per_node ?? 0) === 0);
  const isSmall = needs.cpus <= SMALL_CPUS && needs.memoryMb <= SMALL_MEMORY_MB;
  return (
    (isSmall ? smallest(cpuOnly.filter((each) => each.shared && isFree(each))) : undefined) ??
    smallest(cpuOnly.filter(isFree)) ??
    smallest(candidates.filter(isFree)) ??
    smallest(candidates)
  );
}

const smallest = (partitions: readonly HpcPartition[]): HpcPartition | undefined =>
  partitions.toSorted((a, b) => a.memory_mb - b.memory_mb || a.max_walltime_secs - b.max_walltime_secs)[0];
