import * as z from 'zod';
import { actionOutcome, NewWorkflowAction, WorkflowAction } from '../scheduling.ts';
import { flag, id, integer, json, maybe, queryInteger, text } from '../shape.ts';
import { message, type Route, workflowRoute, route } from './route.ts';

/** The actions of a workflow, which runners claim and end. */
export const workflowActionRoutes = {
  createWorkflowAction: workflowRoute('POST', '/workflows/{id}/actions', 'write', {
    says: 'Create an action of a workflow.',
    body: NewWorkflowAction,
    reply: WorkflowAction,
  }),
  listWorkflowActions: workflowRoute('GET', '/workflows/{id}/actions', 'read', {
    says: 'List the actions of a workflow.',
    reply: z.array(WorkflowAction),
  }),
  listPendingActions: workflowRoute('GET', '/workflows/{id}/actions/pending', 'read', {
    says: 'List the actions whose trigger occurred and that no runner has executed.',
    query: z.object({ trigger_type: text.optional() }),
    reply: z.array(WorkflowAction),
  }),
  updateWorkflowAction: route('PUT', '/workflows/{id}/actions/{action_id}', 'write', 'workflow in path', {
    says: 'Merge fields into the configuration of an action.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    body: json,
    reply: WorkflowAction,
  }),
  deleteWorkflowAction: route('DELETE', '/workflows/{id}/actions/{action_id}', 'write', 'workflow in path', {
    says: 'Delete an action.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    reply: message,
  }),
  claimWorkflowAction: route('POST', '/workflows/{id}/actions/{action_id}/claim', 'write', 'workflow in path', {
    says: 'Claim an action to execute it: one runner gets it, the others are refused.',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    // addition: `tells_end`. The runner will report the outcome; if it is lost before, another runner may execute the
    // action. addition: `plans`. The allocations that the action asks for are planned with the claim, all of them or none,
    // and `planned` is their number.
    body: z.object({
      compute_node_id: maybe(id),
      tells_end: maybe(flag),
      plans: maybe(z.object({ max_parallel_jobs: maybe(integer), max_queued: maybe(integer) })),
    }),
    reply: z.object({ action_id: id, claimed: flag, planned: z.int().optional() }),
  }),
  endWorkflowAction: route('POST', '/workflows/{id}/actions/{action_id}/end', 'write', 'workflow in path', {
    says: 'Report the outcome of an action that was claimed with `tells_end` (addition).',
    params: z.object({ id: queryInteger, action_id: queryInteger }),
    body: z.object({ compute_node_id: id, outcome: actionOutcome }),
    reply: z.object({ action_id: id, ended: flag }),
  }),
} as const satisfies Record<string, Route>;
