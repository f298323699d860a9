import { Refusal } from '../../core/contract/refusals.ts';
import type { WorkflowAction } from '../../core/contract/scheduling.ts';
import { createActionRecords } from '../records/action/claims.ts';
import { planAction } from '../records/allocation/create.ts';
import { refuseBadConfig } from '../records/action/config.ts';
import { createAction, refuseForeignScheduler } from '../records/action/create.ts';
import { newActionQueries } from '../records/action/queries.ts';
import { actionOf } from '../records/action/row.ts';
import { missingRecord } from '../records/find.ts';
import { createForeignCheck } from '../records/scheduler/foreign.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { actQueries } from './queries.ts';

/** Actions of a workflow: which are due, and which runner executes one. */
export const actHandlers = (store: Store) => {
  const { db, find, now } = store;
  const queries = actQueries(db);
  const create = createAction(store, newActionQueries(db));
  const claims = createActionRecords(db, now);
  const plan = planAction(store);
  const refuseForeign = createForeignCheck(db);

  const actionOfWorkflow = (workflowId: number, id: number): WorkflowAction => {
    find.workflow(workflowId);
    const action = queries.actions.get(id) ?? missingRecord('Action', id);
    if (action.workflow_id === workflowId) return action;
    throw new Refusal('NOT_FOUND', `Action ${id} does not belong to workflow ${workflowId}`, { id, workflowId });
  };

  return {
    createWorkflowAction: ({ params, body }) => create(params.id, body),
    listWorkflowActions({ params: { id } }) {
      find.run(id);
      return queries.ofWorkflow.all({ workflowId: id }).map(actionOf);
    },
    listPendingActions({ params: { id }, query: { trigger_type: asked } }) {
      find.workflow(id);
      const types = asked === undefined ? undefined : new Set(asked.split(','));
      const due = queries.pending.all({ workflowId: id }).map(actionOf);
      return types === undefined ? due : due.filter(({ trigger_type: type }) => types.has(type));
    },
    updateWorkflowAction({ params: { id: workflowId, action_id: id }, body }) {
      const action = actionOfWorkflow(workflowId, id);
      if (typeof body !== 'object' || body === null || Array.isArray(body))
        throw new Refusal('BODY_REFUSED', 'updates body must be a JSON object');
      if (Object.keys(body).length === 0) throw new Refusal('BODY_REFUSED', 'updates body has no fields to merge');
      const config = { ...(action.action_config as object), ...body };
      refuseBadConfig({ ...action, action_config: config });
      refuseForeignScheduler(refuseForeign, { workflow_id: workflowId, action_config: config });
      queries.configure.run({ id, config: JSON.stringify(config) });
      return actionOfWorkflow(workflowId, id);
    },
    deleteWorkflowAction({ params: { id: workflowId, action_id: id } }) {
      actionOfWorkflow(workflowId, id);
      queries.actions.remove(id);
      return { message: 'Workflow action deleted successfully' };
    },
    claimWorkflowAction({ params: { id: workflowId, action_id: id }, body }) {
      const action = actionOfWorkflow(workflowId, id);
      const nodeId = body.compute_node_id ?? null;
      const reportsEnd = body.tells_end === true && nodeId !== null;
      if (reportsEnd && claims.isOpen(id, nodeId)) return { action_id: id, claimed: true };
      if (reportsEnd && !claims.mayClaim({ workflowId, nodeId })) {
        throw new Refusal(
          'REFERENCE_UNKNOWN',
          `compute_node_id=${nodeId} is not an active compute node of workflow ${workflowId}`,
          { field: 'compute_node_id', found: nodeId },
        );
      }
      const at = new Date(now()).toISOString();
      if (queries.claim.run({ id, nodeId, at }) === 0)
        throw new Refusal('ACTION_CLAIMED', `Action ${id} already claimed`, { claimed: false });
      if (nodeId !== null) claims.claimed(id, { workflowId, nodeId }, reportsEnd);
      const planned = body.plans === undefined || body.plans === null ? undefined : plan(action, body.plans);
      return { action_id: id, claimed: true, ...(planned === undefined ? {} : { planned }) };
    },
    endWorkflowAction({ params: { id: workflowId, action_id: id }, body: { compute_node_id: nodeId, outcome } }) {
      actionOfWorkflow(workflowId, id);
      return { action_id: id, ended: claims.ended(id, nodeId, outcome) };
    },
  } satisfies Partial<Handlers>;
};
