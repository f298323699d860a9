import type { JobCompletionError } from '../../core/contract/result.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { ClaimQueries } from './queries.ts';

/** What the answer to a turn handed out and refused. */
export interface StoredTurn {
  readonly jobIds: readonly number[];
  readonly errors: JobCompletionError[];
}

/** A compute node as its turns need it. */
export interface TurnNode {
  readonly isActive: boolean;
  /** Number of the last turn that was carried out; 0 before the first. */
  readonly lastTurn: number;
}

/**
 * The numbers of the turns of each runner. A network may deliver a request twice, or late, after its sender has given it
 * up. Each turn is carried out at most once, and none after a later one.
 *
 * The answer is stored as the ids of what was handed out, not as text: a job that was cancelled since must not be
 * handed out from an old answer.
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

  /** What the turn was answered, if it is the last one; undefined for a new turn. An older one is refused. */
  answered(nodeId: number, { lastTurn }: TurnNode, number: number): StoredTurn | undefined {
    if (number > lastTurn) return undefined;
    if (number < lastTurn) {
      throw new Refusal(
        'TURN_SUPERSEDED',
        `turn ${number} of compute node ${nodeId} arrived after turn ${lastTurn}; it was not carried out`,
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
