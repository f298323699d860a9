import type { Tested } from '../../cluster/slurm/sbatch.ts';

/** Why Slurm would not start allocations of a scheduler; undefined if it would, or could not be asked. */
export function testedWords(scheduler: string, tested: Tested): string | undefined {
  if (tested.kind !== 'refused') return undefined;
  return tested.isFinal
    ? `Slurm would refuse allocations of ${scheduler}: ${tested.words}`
    : `Slurm cannot start allocations of ${scheduler} as the cluster is now: ${tested.words}`;
}
