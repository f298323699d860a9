import type { Client } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import type { ActionOutcome } from '../../core/contract/scheduling.ts';
import type { Log } from '../facts/log.ts';

export interface ActionClaimsOptions {
  readonly client: Pick<Client, 'claimWorkflowAction' | 'listWorkflowActions' | 'endWorkflowAction'>;
  readonly workflowId: number;
  readonly nodeId: number;
  readonly log: Log;
}

/** The claims of actions: only the runner that claimed an action executes it. */
export interface ActionClaims {
  /** False if another runner has the action. `plans`: its allocations are planned with the claim. */
  claim(id: number, options?: { readonly plans: boolean }): Promise<boolean>;
  /** Never rejects: what is known of the end is in the log as well. */
  reportEnd(id: number, outcome: ActionOutcome): Promise<void>;
}

export function createActionClaims({ client, workflowId, nodeId, log }: ActionClaimsOptions): ActionClaims {
  const params = { id: workflowId };
  return {
    async claim(id, { plans } = { plans: false }) {
      try {
        await client.claimWorkflowAction({
          params: { ...params, action_id: id },
          body: { compute_node_id: nodeId, tells_end: true, ...(plans ? { plans: {} } : {}) },
        });
        return true;
      } catch (error) {
        if (!(error instanceof ServiceError && error.status === 409)) throw error;
        // It may be our own claim whose reply was lost.
        const actions = await client.listWorkflowActions({ params });
        return actions.some((action) => action.id === id && action.executed_by === nodeId);
      }
    },
    async reportEnd(id, outcome) {
      try {
        const body = { compute_node_id: nodeId, outcome };
        await client.endWorkflowAction({ params: { ...params, action_id: id }, body });
      } catch (error) {
        // A server without this route counts the claim as executed.
        const level = error instanceof ServiceError ? 'debug' : 'warn';
        log.write(level, 'The end of an action could not be reported', {
          action_id: id,
          reason: (error as Error).message,
        });
      }
    },
  };
}
