import { type BatchWords, batchWords } from '../../core/allocation/batch-words.ts';
import type { BatchSystem } from '../../cluster/batch/batch-system.ts';
import type { Tested } from '../../cluster/batch/allocation-script.ts';

/** A scheduler by its name, with what the batch system takes or refuses whatever its nodes do. */
interface Asked {
  readonly name: string;
  readonly account?: string | null | undefined;
  readonly qos?: string | null | undefined;
  readonly partition?: string | null | undefined;
}

/** Why a batch system would not start allocations of a scheduler; undefined if it would, or could not be asked. */
export function testedWords(
  { name: system }: Pick<BatchSystem, 'name'>,
  scheduler: Asked,
  tested: Tested | undefined,
): string | undefined {
  if (tested?.kind !== 'refused') return undefined;
  return tested.isFinal
    ? `${system} would refuse allocations of ${scheduler.name}${askedText(scheduler, batchWords(system))}: ${tested.words}`
    : `${system} cannot start allocations of ${scheduler.name} as the cluster is now: ${tested.words}`;
}

/** A batch system does not repeat what it refuses. */
function askedText({ account, partition, qos }: Asked, { place, wantsAccount }: BatchWords): string {
  const asked = [
    ...(account ? [`account ${account}`] : wantsAccount ? ['no account'] : []),
    ...(partition ? [`${place} ${partition}`] : []),
    ...(qos ? [`QOS ${qos}`] : []),
  ];
  return asked.length === 0 ? '' : ` (${asked.join(', ')})`;
}
