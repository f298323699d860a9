import type { JobCompletionError } from '../../core/contract/result.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ClaimQueries } from './queries.ts';

/** The jobs that the reply to an exchange assigned, and the entries that it refused. */
export interface StoredTurn {
  readonly jobIds: readonly number[];
  readonly errors: JobCompletionError[];
}

/** The fields of a compute node that its exchanges need. */
export interface TurnNode {
  readonly isActive: boolean;
  /** Number of the last exchange that was executed; 0 before the first. */
  readonly lastTurn: number;
}

/**
 * The exchange numbers of each runner. A network may deliver a request twice, or late, after its sender has given up.
 * Each exchange is executed at most once, and never after a later one.
 *
 * The reply is stored as the ids of the assigned jobs, not as text: a job that was canceled since must not be assigned
 * from an old reply.
 */
export const createTurnRecord = (queries: ClaimQueries) => ({
  node(workflowId: number, nodeId: number): TurnNode {
    const row = queries.turnNode.get({ workflowId, nodeId });
    if (row === undefined) {
      throw new Refusal(
        'REFERENCE_UNKNOWN',
        `compute_node_id=${nodeId} is not a compute node of workflow ${workflowId}`,
        { field: 'compute_node_id', found: nodeId },
      );
    }
    return { isActive: row.is_active !== 0, lastTurn: row.number ?? 0 };
  },

  /** The stored reply, if this is the last exchange; undefined for a new one. An older one is refused. */
  answered(nodeId: number, { lastTurn }: TurnNode, number: number): StoredTurn | undefined {
    if (number > lastTurn) return undefined;
    if (number < lastTurn) {
      throw new Refusal(
        'TURN_SUPERSEDED',
        `turn ${number} of compute node ${nodeId} arrived after turn ${lastTurn}; it was not executed`,
        { found: number, current: lastTurn },
      );
    }
    const row = queries.turn.get({ nodeId });
    return {
      jobIds: JSON.parse(row?.job_ids ?? '[]') as number[],
      errors: JSON.parse(row?.errors ?? '[]') as JobCompletionError[],
    };
  },

  store(nodeId: number, number: number, { jobIds, errors }: StoredTurn): void {
    queries.storeTurn.run({ nodeId, number, jobIds: JSON.stringify(jobIds), errors: JSON.stringify(errors) });
  },
});

export type TurnRecord = ReturnType<typeof createTurnRecord>;
