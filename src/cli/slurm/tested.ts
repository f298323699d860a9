import type { Tested } from '../../cluster/batch/allocation-script.ts';

/** A scheduler by its name, with what Slurm takes or refuses whatever its nodes do. */
interface Asked {
  readonly name: string;
  readonly account?: string | null | undefined;
  readonly qos?: string | null | undefined;
  readonly partition?: string | null | undefined;
}

/** Why Slurm would not start allocations of a scheduler; undefined if it would, or could not be asked. */
export function testedWords(scheduler: Asked, tested: Tested | undefined): string | undefined {
  if (tested?.kind !== 'refused') return undefined;
  return tested.isFinal
    ? `Slurm would refuse allocations of ${scheduler.name} (${askedText(scheduler)}): ${tested.words}`
    : `Slurm cannot start allocations of ${scheduler.name} as the cluster is now: ${tested.words}`;
}

/** Slurm does not repeat what it refuses. */
const askedText = ({ account, partition, qos }: Asked): string =>
  [
    account ? `account ${account}` : 'no account',
    ...(partition ? [`partition ${partition}`] : []),
    ...(qos ? [`QOS ${qos}`] : []),
  ].join(', ');
