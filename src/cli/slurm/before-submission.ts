import { openBatch } from '../../cluster/open-batch.ts';
import { unclaimableWords } from '../../core/lifecycle/placement/unclaimable.ts';
import { testDueActions } from '../../operations/submit/test-submission.ts';
import { unrunnableJobs } from '../../operations/submit/unrunnable.ts';
import type { Context } from '../command/context.ts';
import { Failure } from '../command/failure.ts';
import { testedWords } from './tested.ts';

/**
 * Warns of ready jobs that no allocation of the workflow could ever run. Refuses where that are all of them, because every
 * allocation would be wasted, unless `isForced`.
 */
export async function reportUnrunnable(context: Context, workflowId: number, isForced: boolean): Promise<void> {
  const { client } = await context.service();
  const left = await unrunnableJobs(client, workflowId);
  if (left === undefined || left.unclaimable_jobs === 0) return;
  const isAll = left.unclaimable_jobs === left.ready_jobs && !left.may_take;
  if (!isAll || isForced) {
    for (const reason of left.reasons) context.output.warn(unclaimableWords(reason));
    return;
  }
  const { unrunnableLines } = await import('./unrunnable-lines.ts');
  throw new Failure(
    [
      `Nothing is submitted: no allocation of workflow ${workflowId} could run any of its jobs.`,
      ...(await unrunnableLines(context, workflowId, left.reasons)).map((line) => `  ${line}`),
      `  To submit all the same: ${context.hint(`torc submit ${workflowId} --skip-checks`)}`,
    ].join('\n'),
  );
}

/**
 * Says which allocations the batch system would not start, before any is submitted. Refuses where it would refuse them whatever its nodes
 * do, unless `isForced`.
 */
export async function reportRefusedByBatch(context: Context, workflowId: number, isForced: boolean): Promise<void> {
  const { client } = await context.service();
  const onSlow = (words: string) => context.output.warn(words);
  const batch = openBatch(context.environment, { onSlow });
  const found = await testDueActions(client, workflowId, batch);
  const isFinal = found.some(({ tested }) => tested.kind === 'refused' && tested.isFinal);
  const words = found.flatMap(({ name, asks, tested }) => testedWords(batch, { ...asks, name }, tested) ?? []);
  if (!isFinal || isForced) {
    for (const line of words) context.output.warn(line);
    return;
  }
  const force = context.hint(`torc submit ${workflowId} --skip-checks`);
  throw new Failure(
    ['Nothing is submitted.', ...words.map((line) => `  ${line}`), `  To submit all the same: ${force}`].join('\n'),
  );
}
