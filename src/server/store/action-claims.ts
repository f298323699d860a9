import type { ActionOutcome, LostActions } from '../../core/contract/scheduling.ts';
import type { Database } from './database.ts';
import { insertEvent } from './event-row.ts';

/** An action that a runner claimed and of which it has not told the end. */
interface OpenClaim {
  readonly id: number;
  readonly trigger_type: string;
  readonly persistent: number;
}

interface Claimed {
  readonly workflowId: number;
  readonly nodeId: number;
}

/** What became of the open claims of a runner. */
interface Settled {
  readonly armed: number[];
  readonly interrupted: number[];
}

/**
 * Claims of actions, and what came of them (table `action_claim`).
 *
 * A runner of ours tells the end of what it claimed. When it is lost before, its ledger says whether the commands began: if
 * they did not, the action is armed again; if they did, or nobody knows, it counts as interrupted, which an event and the
 * list of actions say, and is not carried out again, because commands may not bear it. An action that is for every runner is
 * not armed again in the name of one that is gone.
 */
export function createActionClaims(db: Database, now: () => number) {
  const queries = claimQueries(db);
  const writeEvent = insertEvent(db);

  /** Takes the claim back, as if it had never been. */
  const disarm = (id: number, nodeId: number): void => {
    queries.drop.run({ id, nodeId });
    queries.forget.run({ id, nodeId });
  };

  const tell = ({ workflowId, nodeId }: Claimed, { id, trigger_type: trigger }: OpenClaim, what: string): void => {
    const message = `Action ${id} (${trigger}) ${what}`;
    const data = JSON.stringify({ category: 'workflow_action', message, action_id: id, compute_node_id: nodeId });
    writeEvent.run({ workflowId, timestamp: now(), data });
  };

  return {
    /** Has this runner an open claim of the action? Its request may have been delivered twice. */
    isOpen: (id: number, nodeId: number): boolean => queries.open.get({ id, nodeId }) !== undefined,

    /** Is the runner one that may claim: of this workflow, and not deregistered? */
    mayClaim: (claimed: Claimed): boolean => queries.activeNode.get({ ...claimed }) !== undefined,

    claimed(id: number, { workflowId, nodeId }: Claimed, tellsEnd: boolean): void {
      queries.insert.run({ id, nodeId, workflowId, nowMs: now(), outcome: tellsEnd ? null : 'claimed' });
    },

    /** What came of an action, once; false when nothing is open, as when it is told twice. */
    ended(id: number, nodeId: number, outcome: ActionOutcome): boolean {
      if (queries.open.get({ id, nodeId }) === undefined) return false;
      if (outcome === 'not_started') disarm(id, nodeId);
      else queries.end.run({ id, nodeId, outcome });
      return true;
    },

    /** Settles what a runner left open that is gone, or that leaves without a word of it. */
    settle(claimed: Claimed, { finished, begun }: LostActions, reason: string): Settled {
      const armed: number[] = [];
      const interrupted: number[] = [];
      for (const claim of queries.openOf.all({ ...claimed })) {
        const { id } = claim;
        const { nodeId } = claimed;
        if (finished?.includes(id)) {
          queries.end.run({ id, nodeId, outcome: 'done' });
        } else if (begun === undefined || begun === null || begun.includes(id)) {
          queries.end.run({ id, nodeId, outcome: 'interrupted' });
          interrupted.push(id);
          tell(claimed, claim, `was interrupted (${reason}): its commands may have run in part and are not run again`);
        } else if (claim.persistent === 1) {
          disarm(id, nodeId);
          tell(claimed, claim, `was not carried out by compute node ${nodeId} (${reason})`);
        } else {
          disarm(id, nodeId);
          armed.push(id);
          tell(claimed, claim, `is armed again (${reason}): its commands had not begun`);
        }
      }
      return { armed, interrupted };
    },
  };
}

/** What came of an action, for its list: of several claims what a person should know first. */
export const actionState = `(
  select coalesce(outcome, 'open') from action_claim
  where action_id = workflow_action.id and outcome is not 'claimed'
  order by outcome is 'interrupted' desc, outcome is null desc, outcome is 'failed' desc
  limit 1)`;

const claimQueries = (db: Database) => ({
  open: db.prepare<{ id: number; nodeId: number }, { action_id: number }>(
    'select action_id from action_claim where action_id = :id and compute_node_id = :nodeId and outcome is null',
  ),
  openOf: db.prepare<{ workflowId: number; nodeId: number }, OpenClaim>(`
    select action.id, action.trigger_type, action.persistent
    from action_claim claim
    join workflow_action action on action.id = claim.action_id
    where claim.compute_node_id = :nodeId and claim.workflow_id = :workflowId and claim.outcome is null
    order by action.id`),
  activeNode: db.prepare<{ workflowId: number; nodeId: number }, { id: number }>(
    'select id from compute_node where id = :nodeId and workflow_id = :workflowId and is_active is not 0',
  ),
  insert: db.prepare<{ id: number; nodeId: number; workflowId: number; nowMs: number; outcome: string | null }>(`
    insert or replace into action_claim (action_id, compute_node_id, workflow_id, claimed_at_ms, outcome)
    select :id, compute_node.id, :workflowId, :nowMs, :outcome
    from compute_node
    where compute_node.id = :nodeId`),
  end: db.prepare<{ id: number; nodeId: number; outcome: string }>(
    'update action_claim set outcome = :outcome where action_id = :id and compute_node_id = :nodeId',
  ),
  drop: db.prepare<{ id: number; nodeId: number }>(
    'delete from action_claim where action_id = :id and compute_node_id = :nodeId',
  ),
  // Another runner may have carried it out, where it is for each of them.
  forget: db.prepare<{ id: number; nodeId: number }>(`
    update workflow_action set (executed, executed_at, executed_by) = (
      select count(*) > 0,
        strftime('%Y-%m-%dT%H:%M:%fZ', max(claimed_at_ms) / 1000.0, 'unixepoch'), max(compute_node_id)
      from action_claim where action_id = workflow_action.id)
    where id = :id and executed_by = :nodeId`),
});
