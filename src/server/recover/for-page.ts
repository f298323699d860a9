import type { RecoveryPlan, RecoveryPolicy, RecoveryRequest } from '../../core/contract/recovery.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import type { Ask } from '../ask.ts';
import type { Caller } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';

/** The use case, which stands above the server: it asks the routes, with the rights of the caller. */
export interface Recoveries {
  plan(ask: Ask, workflowId: number, policy: RecoveryPolicy): Promise<RecoveryPlan>;
  recover(ask: Ask, workflowId: number, request: RecoveryRequest): Promise<RecoveryPlan>;
}

const none: Recoveries = {
  plan: (_, id) => Promise.reject(refusalOf(id)),
  recover: (_, id) => Promise.reject(refusalOf(id)),
};
const refusalOf = (id: number) =>
  new Refusal('RECOVERY_REFUSED', `this server plans no recovery; torc recover ${id} --dry-run does`);

/** Recoveries for a page: the plan, and its execution. */
export const pageRecoveryHandlers = (
  { find }: Store,
  askAs: (caller: Caller) => Ask,
  { plan, recover }: Recoveries = none,
) =>
  ({
    async getRecoveryPlan({ params: { id }, query }, caller) {
      find.workflow(id);
      return plan(askAs(caller), id, query);
    },
    async recoverWorkflow({ params: { id }, body }, caller) {
      find.workflow(id);
      return recover(askAs(caller), id, body);
    },
  }) satisfies Partial<Handlers>;
