import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow } from './usual.ts';
import { action, AT } from './world.ts';

export const actionCases: Cases = {
  createWorkflowAction: {
    answers: [
      {
        says: 'waits for as many triggers as it names jobs',
        params: { id: 1 },
        body: {
          workflow_id: 1,
          trigger_type: 'on_jobs_ready',
          action_type: 'schedule_nodes',
          action_config: { scheduler_id: 1, scheduler_type: 'slurm', num_allocations: 2 },
          job_ids: [1, 2],
          executed_at: null,
        },
        reply: {
          workflow_id: 1,
          trigger_type: 'on_jobs_ready',
          action_type: 'schedule_nodes',
          action_config: { scheduler_id: 1, scheduler_type: 'slurm', num_allocations: 2 },
          job_ids: [1, 2],
          id: 2,
        },
        after: async ({ client }) =>
          expect((await client.listWorkflowActions({ params: { id: 1 } }))[1]).toMatchObject({
            required_triggers: 2,
            // One of the two is ready.
            trigger_count: 1,
            executed: false,
          }),
      },
    ],
    refuses: [
      { ...inUnknownWorkflow, body: { ...action, workflow_id: 9 } },
      {
        says: 'refuses a job of another workflow, because the action would wait for it for ever',
        params: { id: 1 },
        body: { ...action, trigger_type: 'on_jobs_ready', job_ids: [1, 4] },
        status: 422,
        code: 'REFERENCE_UNKNOWN',
        message: 'job_ids names 4, which is not a job of workflow 1',
      },
      {
        says: 'refuses what its type cannot do',
        params: { id: 1 },
        body: { ...action, action_config: { commands: ['a'], shell: 'sh' } },
        status: 422,
        code: 'BODY_REFUSED',
        message: "Invalid action_config: For action_type 'run_commands', only 'commands' field is allowed",
      },
      {
        says: 'refuses no commands',
        params: { id: 1 },
        body: { ...action, action_config: { commands: [] } },
        status: 422,
        code: 'BODY_REFUSED',
        message: "Invalid action_config: 'commands' array cannot be empty",
      },
    ],
  },

  listWorkflowActions: {
    answers: [{ says: 'returns them all', params: { id: 1 }, reply: [action] }],
    refuses: [inUnknownWorkflow],
  },

  listPendingActions: {
    answers: [
      { says: 'returns the due actions', params: { id: 1 }, reply: [action] },
      {
        says: 'returns those of the types that were asked for',
        params: { id: 1 },
        query: { trigger_type: 'x' },
        reply: [],
      },
      {
        says: 'leaves out an executed action',
        before: ({ client }) => client.claimWorkflowAction({ params: { id: 1, action_id: 1 }, body: {} }),
        params: { id: 1 },
        reply: [],
      },
    ],
    refuses: [inUnknownWorkflow],
  },

  updateWorkflowAction: {
    answers: [
      {
        says: 'merges fields into what it does',
        params: { id: 1, action_id: 1 },
        body: { commands: ['a', ''] },
        reply: { ...action, action_config: { commands: ['a', ''] } },
      },
    ],
    refuses: [
      {
        says: 'refuses nothing to merge',
        params: { id: 1, action_id: 1 },
        body: {},
        status: 422,
        code: 'BODY_REFUSED',
        message: 'updates body has no fields to merge',
      },
      {
        says: 'refuses what is no object',
        params: { id: 1, action_id: 1 },
        body: ['commands'],
        status: 422,
        code: 'BODY_REFUSED',
        message: 'updates body must be a JSON object',
      },
      {
        says: 'does not change an action by way of another workflow',
        params: { id: 2, action_id: 1 },
        body: { commands: ['a'] },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Action 1 does not belong to workflow 2',
      },
    ],
  },

  deleteWorkflowAction: {
    answers: [
      {
        says: 'deletes it',
        params: { id: 1, action_id: 1 },
        reply: { message: 'Workflow action deleted successfully' },
        after: async ({ client }) => expect(await client.listWorkflowActions({ params: { id: 1 } })).toEqual([]),
      },
    ],
    refuses: [
      {
        says: 'answers 404 for one that does not exist',
        params: { id: 1, action_id: 9 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Action not found with ID: 9',
      },
    ],
  },

  claimWorkflowAction: {
    answers: [
      {
        says: 'gives it to the one that asks first, and writes down who that is',
        params: { id: 1, action_id: 1 },
        body: { compute_node_id: 1 },
        reply: { action_id: 1, claimed: true },
        after: async ({ client }) =>
          expect(await client.listWorkflowActions({ params: { id: 1 } })).toEqual([
            { ...action, executed: true, executed_at: AT, executed_by: 1 },
          ]),
      },
    ],
    refuses: [
      {
        says: 'refuses the second with 409',
        before: ({ client }) => client.claimWorkflowAction({ params: { id: 1, action_id: 1 }, body: {} }),
        params: { id: 1, action_id: 1 },
        body: {},
        status: 409,
        code: 'ACTION_CLAIMED',
        message: 'Action 1 already claimed',
      },
    ],
  },

  endWorkflowAction: {
    answers: [
      {
        says: 'stores its outcome',
        before: ({ client }) =>
          client.claimWorkflowAction({
            params: { id: 1, action_id: 1 },
            body: { compute_node_id: 1, tells_end: true },
          }),
        params: { id: 1, action_id: 1 },
        body: { compute_node_id: 1, outcome: 'failed' },
        reply: { action_id: 1, ended: true },
        after: async ({ client }) =>
          expect(await client.listWorkflowActions({ params: { id: 1 } })).toEqual([
            { ...action, executed: true, executed_at: AT, executed_by: 1, state: 'failed' },
          ]),
      },
      {
        says: 'says when nothing was open',
        params: { id: 1, action_id: 1 },
        body: { compute_node_id: 1, outcome: 'done' },
        reply: { action_id: 1, ended: false },
      },
    ],
    refuses: [
      {
        says: 'answers 404 for an action of another workflow',
        params: { id: 1, action_id: 9 },
        body: { compute_node_id: 1, outcome: 'done' },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Action not found with ID: 9',
      },
    ],
  },
};
