import * as z from 'zod';
import { actionOutcome, NewWorkflowAction, WorkflowAction } from '../scheduling.ts';
import { flag, id, integer, json, maybe, queryInteger, text } from '../shape.ts';
import { message, ofId, route, type Route } from './route.ts';

/** The actions of a workflow, which runners claim and end. */
export const workflowActionRoutes = {
  createWorkflowAction: route({
    method: 'POST',
    path: '/workflows/{id}/actions',
    kind: 'write',
    access: 'workflow in path',
    says: 'Create an action of a workflow.',
    params: ofId,
    body: NewWorkflowAction,
    reply: WorkflowAction,
  }),
  listWorkflowActions: route({
    method: 'GET',
    path: '/workflows/{id}/actions',
    kind: 'read',
    access: 'workflow in path',
    says: 'List the actions of a workflow.',
    params: ofId,
    reply: z.array(WorkflowAction),
  }),
  listPendingActions: route({
    method: 'GET',
    path: '/workflows/{id}/actions/pending',
    kind: 'read',
    access: 'workflow in path',
    says: 'List the actions whose trigger occurred and that no runner has executed.',
    params: ofId,
    query: z.object({ trigger_type: text.optional() }),
    reply: z.array(WorkflowAction),
  }),
  updateWorkflowAction: route({
    method: 'PUT',
    path: '/workflows/{id}/actions/{action_id}',
    kind: 'write',
    access: 'workflow in path',
    says: 'Merge fields into the configuration of an action.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    body: json,
    reply: WorkflowAction,
  }),
  deleteWorkflowAction: route({
    method: 'DELETE',
    path: '/workflows/{id}/actions/{action_id}',
    kind: 'write',
    access: 'workflow in path',
    says: 'Delete an action.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    reply: message,
  }),
  claimWorkflowAction: route({
    method: 'POST',
    path: '/workflows/{id}/actions/{action_id}/claim',
    kind: 'write',
    access: 'workflow in path',
    says: 'Claim an action to execute it: one runner gets it, the others are refused.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    // addition: `tells_end`. The runner will report the outcome; if it is lost before, another runner may execute the
    // action. addition: `plans`. The allocations that the action asks for are planned with the claim, all of them or none,
    // and `planned` is their number.
    body: z.object({
      compute_node_id: maybe(id),
      tells_end: maybe(flag),
      plans: maybe(z.object({ max_parallel_jobs: maybe(integer) })),
    }),
    reply: z.object({ action_id: id, claimed: flag, planned: z.int().optional() }),
  }),
  endWorkflowAction: route({
    method: 'POST',
    path: '/workflows/{id}/actions/{action_id}/end',
    kind: 'write',
    access: 'workflow in path',
    says: 'Report the outcome of an action that was claimed with `tells_end` (addition).',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    body: z.object({ compute_node_id: id, outcome: actionOutcome }),
    reply: z.object({ action_id: id, ended: flag }),
  }),
} as const satisfies Record<string, Route>;
