import type { ComputeNode } from '../../core/contract/node.ts';
import { createActionRecords } from '../records/action/claims.ts';
import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { Store } from '../records/store.ts';
import type { AllocateQueries } from './queries.ts';

/** The number of ids that an event names; of more it gives the number. */
const NAMED = 20;

/**
 * Handles the jobs of a deregistered runner, in the same transaction.
 *
 * Jobs that are pending in its name were never started, because it no longer starts jobs: they become ready again.
 * Attempts that it still held have ended. A job that runs in its name stays, because nothing proves that its process
 * ended: an event says so, and recovery on the runner's host checks it.
 */
export const createLeave = ({ db, changes, now }: Store, queries: AllocateQueries) => {
  const held = createHeldAttempts(db, changes);
  const actions = createActionRecords(db, now);
  return ({ id: nodeId, workflow_id: workflowId, hostname }: ComputeNode) => {
    const unstarted = queries.unstarted.all({ workflowId, nodeId }).map(({ id }) => id);
    for (const id of unstarted) {
      queries.letGo.run({ id });
      queries.giveBack.run({ id });
    }
    if (unstarted.length > 0) {
      const reason = 'the runner was deregistered';
      changes.record(workflowId, 'jobs_returned', [{ compute_node_id: nodeId, reason, job_ids: unstarted }]);
      changes.record(workflowId, 'jobs_ready', [{ jobs: unstarted.length }]);
    }
    queries.letGoAhead.run({ nodeId });
    held.overWithNode(workflowId, nodeId);
    actions.settle({ workflowId, nodeId }, {}, `compute node ${nodeId} was deregistered without reporting its end`);

    const running = queries.runningIn.all({ workflowId, nodeId }).map(({ id }) => id);
    if (running.length > 0) {
      const message = `Compute node ${nodeId} on host ${hostname} was deregistered while ${running.length} of its jobs were running; they stay running until a runner on that host proves that their processes are gone`;
      const data = {
        category: 'compute_node',
        message,
        compute_node_id: nodeId,
        jobs: running.length,
        job_ids: running.slice(0, NAMED),
      };
      queries.writeEvent.run({ workflowId, timestamp: now(), data: JSON.stringify(data) });
    }
    return { returned: unstarted.length, running: running.length };
  };
};
