import type { UnclaimableJobs } from '../../core/contract/unclaimable.ts';
import { unclaimableWords } from '../../core/lifecycle/placement/unclaimable.ts';
import { unrunnableAdvice } from '../../operations/submit/unrunnable-advice.ts';
import type { Context } from '../command/context.ts';
import { partitionsHere } from './hpc-profile.ts';

/** Which ready jobs no allocation of the workflow can run, why, and what helps: never what cannot. */
export async function unrunnableLines(
  context: Context,
  workflowId: number,
  reasons: readonly UnclaimableJobs[],
): Promise<string[]> {
  const { client } = await context.service();
  const { isPlanUseful, nowhere } = await unrunnableAdvice(client, reasons, await partitionsHere(context));
  return [
    ...reasons.map(unclaimableWords),
    ...nowhere.flatMap((each) => each.reasons),
    ...(isPlanUseful
      ? [`To plan allocations that can: ${context.hint(`torc slurm regenerate ${workflowId} --submit`)}`]
      : []),
    ...new Set(nowhere.flatMap(({ next }) => next.map((line) => context.hint(`To ${line}`)))),
  ];
}
