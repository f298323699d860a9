import type { ActionOutcome, LostActions } from '../../../core/contract/scheduling.ts';
import type { Database } from '../../store/database.ts';
import { insertEvent } from '../event/queries.ts';

/** An action that a runner claimed without reporting its end. */
interface OpenClaim {
  readonly id: number;
  readonly trigger_type: string;
  readonly persistent: number;
}

interface Claimed {
  readonly workflowId: number;
  readonly nodeId: number;
}

/** The outcome of the open claims of a runner. */
interface Settled {
  readonly armed: number[];
  readonly interrupted: number[];
}

/**
 * Claims of actions, and their outcome (table `action_claim`).
 *
 * Our runners report the end of each action that they claimed. If a runner is lost before, its ledger says whether the
 * commands began: if they did not, the action becomes available again; if they did, or if this is unknown, it counts as
 * interrupted, which an event and the list of actions report, and it is not executed again, because commands may not be
 * repeatable. A persistent action does not become available again for a lost runner.
 */
export function createActionRecords(db: Database, now: () => number) {
  const queries = claimQueries(db);
  const writeEvent = insertEvent(db);

  /** Removes the claim without a trace. */
  const disarm = (id: number, nodeId: number): void => {
    queries.drop.run({ id, nodeId });
    queries.forget.run({ id, nodeId });
  };

  const report = ({ workflowId, nodeId }: Claimed, { id, trigger_type: trigger }: OpenClaim, what: string): void => {
    const message = `Action ${id} (${trigger}) ${what}`;
    const data = JSON.stringify({ category: 'workflow_action', message, action_id: id, compute_node_id: nodeId });
    writeEvent.run({ workflowId, timestamp: now(), data });
  };

  return {
    /** Whether this runner has an open claim of the action. Its request may have been delivered twice. */
    isOpen: (id: number, nodeId: number): boolean => queries.open.get({ id, nodeId }) !== undefined,

    /** Whether the runner may claim: it belongs to this workflow, and is not deregistered. */
    mayClaim: (claimed: Claimed): boolean => queries.activeNode.get({ ...claimed }) !== undefined,

    claimed(id: number, { workflowId, nodeId }: Claimed, reportsEnd: boolean): void {
      queries.insert.run({ id, nodeId, workflowId, nowMs: now(), outcome: reportsEnd ? null : 'claimed' });
    },

    /** Stores the outcome of an action, once; false if no claim is open, as for a repeated report. */
    ended(id: number, nodeId: number, outcome: ActionOutcome): boolean {
      if (queries.open.get({ id, nodeId }) === undefined) return false;
      if (outcome === 'not_started') disarm(id, nodeId);
      else queries.end.run({ id, nodeId, outcome });
      return true;
    },

    /** Settles the open claims of a runner that is lost, or that exits without reporting them. */
    settle(claimed: Claimed, { finished, begun }: LostActions, reason: string): Settled {
      const armed: number[] = [];
      const interrupted: number[] = [];
      for (const claim of queries.openOf.all({ ...claimed })) {
        const { id } = claim;
        const { nodeId } = claimed;
        // Its allocations were planned with the claim: the next submission submits them.
        if (finished?.includes(id) || queries.hasPlan.get({ id, workflowId: claimed.workflowId }) !== undefined) {
          queries.end.run({ id, nodeId, outcome: 'done' });
        } else if (begun === undefined || begun === null || begun.includes(id)) {
          queries.end.run({ id, nodeId, outcome: 'interrupted' });
          interrupted.push(id);
          report(claimed, claim, `was interrupted (${reason}): its commands may have run in part and do not run again`);
        } else if (claim.persistent === 1) {
          disarm(id, nodeId);
          report(claimed, claim, `was not executed by compute node ${nodeId} (${reason})`);
        } else {
          disarm(id, nodeId);
          armed.push(id);
          report(claimed, claim, `is available again (${reason}): its commands had not begun`);
        }
      }
      return { armed, interrupted };
    },
  };
}

/** The outcome of an action, for its list: of several claims the one that matters most to the user. */
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
  hasPlan: db.prepare<{ id: number; workflowId: number }, { id: number }>(`
    select id from scheduled_compute_node
    where workflow_id = :workflowId and json_extract(plan, '$.action_id') = :id
    limit 1`),
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
  // Another runner may have executed it, if it is persistent.
  forget: db.prepare<{ id: number; nodeId: number }>(`
    update workflow_action set (executed, executed_at, executed_by) = (
      select count(*) > 0,
        strftime('%Y-%m-%dT%H:%M:%fZ', max(claimed_at_ms) / 1000.0, 'unixepoch'), max(compute_node_id)
      from action_claim where action_id = workflow_action.id)
    where id = :id and executed_by = :nodeId`),
});
