import { createHeldAttempts } from '../records/job/held-attempts.ts';
import type { Store } from '../records/store.ts';
import type { ClaimQueries } from './queries.ts';

/** Lets a runner return jobs that were assigned to it and not started. */
export function createGiveBack({ db, changes }: Store, queries: ClaimQueries) {
  const attempts = createHeldAttempts(db, changes);

  /** Everything that is assigned to the runner and that it does not hold: attempts are over, claims ahead are let go. */
  const dropUnknown = ({ workflowId, nodeId }: RunnerOfWorkflow, held: ReadonlySet<number>): void => {
    attempts.overBut(workflowId, nodeId, held);
    for (const { id } of queries.claimedAhead.all({ workflowId, nodeId }))
      if (!held.has(id)) queries.letGoAhead.run({ id, nodeId });
  };

  /** Makes these jobs ready again. Returns those that were pending in its name. */
  const giveBack = ({ workflowId, nodeId }: RunnerOfWorkflow, jobIds: readonly number[]): number[] => {
    const returned = jobIds.filter((id) => {
      if (queries.letGo.run({ id, nodeId }) === 1) return queries.giveBack.run({ id }) === 1;
      if (queries.letGoAhead.run({ id, nodeId }) === 1) return false;
      attempts.over({ workflowId, jobId: id, nodeId });
      return false;
    });
    if (returned.length > 0)
      changes.record(workflowId, 'jobs_returned', [{ compute_node_id: nodeId, job_ids: returned }]);
    return returned;
  };

  return {
    giveBack,
    dropUnknown,

    /** Makes jobs ready again that are pending in the name of a runner that ends, except those that it holds. */
    giveBackAllBut(holder: RunnerOfWorkflow, held: readonly number[]): number[] {
      const known = new Set(held);
      dropUnknown(holder, known);
      const lost = queries.heldBy.all(holder).flatMap(({ id }) => (known.has(id) ? [] : [id]));
      return giveBack(holder, lost);
    },
  };
}

/** A runner of a workflow that has an id. */
export interface RunnerOfWorkflow {
  readonly workflowId: number;
  readonly nodeId: number;
}
