import type { LostRunner, LostRunnerReply } from '../../core/contract/exchange.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { createRequeue } from '../recover/requeue.ts';
import type { Accept } from '../result/accept.ts';
import { found } from '../store/find.ts';
import type { Store } from '../store/store.ts';
import { endOf, refused } from './exchange.ts';

/**
 * The last turn of a runner that is proven gone: what its ledger says that it finished is taken in as if it had said so
 * itself, and what else it held is taken back.
 */
export const createLost =
  (
    { find }: Store,
    { accept, requeue }: { readonly accept: Accept; readonly requeue: ReturnType<typeof createRequeue> },
  ) =>
  (workflowId: number, nodeId: number, { run_id: runId, started, completed, reason }: LostRunner): LostRunnerReply => {
    const { run_id: current } = find.run(workflowId);
    if (runId !== current) {
      throw new Refusal('RUN_SUPERSEDED', `Run ID mismatch: provided ${runId} but workflow is at run ${current}`, {
        runId,
        current,
      });
    }
    found(requeue.node(workflowId, nodeId), 'compute_node', nodeId);
    const ends = (completed ?? []).map((each) => endOf(each, workflowId, runId, nodeId));
    const verdicts = accept(workflowId, ends, 'holder');
    const startedIds = started ? new Set(started.map(({ job_id: id }) => id)) : undefined;
    return {
      completed: ends.filter((_, index) => verdicts[index] === 'accepted').map(({ jobId }) => jobId),
      errors: refused(verdicts, completed ?? []),
      ...requeue.takeBack({ workflowId, runId, nodeId, reason }, startedIds),
    };
  };
