import type { LostRunner, LostRunnerReply } from '../../core/contract/exchange.ts';
import { supersededRun } from '../../core/contract/refusals.ts';
import { attemptKey, type createRequeue } from '../recover/requeue.ts';
import type { Accept } from '../result/accept.ts';
import { createActionRecords } from '../records/action/claims.ts';
import { foundRow } from '../records/find.ts';
import type { Store } from '../records/store.ts';
import { attemptEndOf, refusedEntries, retriedOf } from './exchange.ts';
import type { RetriedEnds } from './retried.ts';

/**
 * The last exchange of a runner that is proven lost: the ends in its ledger are processed as if it had reported them
 * itself, and its other jobs are recovered.
 */
export const createLost = (
  { db, find, now }: Store,
  {
    accept,
    retried,
    requeue,
  }: { readonly accept: Accept; readonly retried: RetriedEnds; readonly requeue: ReturnType<typeof createRequeue> },
) => {
  const claims = createActionRecords(db, now);
  return (
    workflowId: number,
    nodeId: number,
    { run_id: runId, started, completed, retried: again, actions, reason }: LostRunner,
  ): LostRunnerReply => {
    const { run_id: current } = find.run(workflowId);
    if (runId !== current) throw supersededRun(runId, current);
    foundRow(requeue.node(workflowId, nodeId), 'compute_node', nodeId);
    const ends = (completed ?? []).map((each) => attemptEndOf(each, workflowId, runId, nodeId));
    const verdicts = accept(workflowId, ends, 'holder');
    const runAgain = (again ?? []).map((each) => retriedOf(each, workflowId, runId, nodeId));
    const verdictsAgain = retried(workflowId, runAgain);
    const began = started
      ? new Set(started.map(({ job_id: id, attempt_id: attempt }) => attemptKey(id, attempt)))
      : undefined;
    const { armed, interrupted } = claims.settle({ workflowId, nodeId }, actions ?? {}, reason);
    const { requeued, returned } = requeue.takeBack({ workflowId, runId, nodeId, reason }, began);
    return {
      completed: ends.filter((_, index) => verdicts[index] === 'accepted').map(({ jobId }) => jobId),
      errors: [...refusedEntries(verdicts, completed ?? []), ...refusedEntries(verdictsAgain, again ?? [])],
      requeued: [
        ...runAgain.filter((_, index) => verdictsAgain[index] === 'accepted').map(({ jobId }) => jobId),
        ...requeued,
      ],
      returned,
      ...(armed.length === 0 ? {} : { actions_armed: armed }),
      ...(interrupted.length === 0 ? {} : { actions_interrupted: interrupted }),
    };
  };
};
