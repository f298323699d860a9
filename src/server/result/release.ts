import { isUnsuccessful } from '../../core/lifecycle/job.ts';
import type { Store } from '../store/store.ts';
import type { End } from './end.ts';
import type { ResultQueries } from './queries.ts';

/**
 * Releases what waited for a job, in the transaction in which it ended: nothing waits for a timer.
 *
 * A dependant whose last dependency this was becomes ready; if one of them went wrong and it asked for that, it is
 * canceled instead, and so on downstream.
 */
export const createRelease = ({ changes }: Store, queries: ResultQueries) => ({
  /** How many jobs became ready, and what is to be told of those that were canceled. */
  dependantsOf({ jobId, status, returnCode }: End): { ready: number; canceled: object[] } {
    let ready = 0;
    const canceled: object[] = [];
    const ended = [{ id: jobId, failed: Number(isUnsuccessful(status, returnCode)) }];
    for (const { id, failed } of ended) {
      if (queries.countDown.run({ id, failed }) === 0) continue;
      ready += queries.release.run({ id });
      for (const doomed of queries.doomed.all({ id })) {
        queries.cancel.run({ id: doomed.id });
        canceled.push({
          job_id: doomed.id,
          job_name: doomed.name,
          status: 'canceled',
          cause: `job ${id} did not succeed`,
        });
        ended.push({ id: doomed.id, failed: 1 });
      }
    }
    return { ready, canceled };
  },

  /** Tells that the workflow is complete, when it is. */
  closeIfComplete(workflowId: number): void {
    if (queries.open.get({ workflowId }) !== undefined) return;
    changes.record(workflowId, 'workflow_completed', [{ category: 'workflow' }]);
  },
});
