import { expect } from 'vitest';
import type { Cases } from './case.ts';
import { inUnknownWorkflow, unknownWorkflow } from './usual.ts';
import { AT } from './world.ts';

const unknownGroup = { status: 404, code: 'NOT_FOUND', message: 'Group not found with ID: 9' } as const;

const team = { id: 2, name: 'team', description: 'The Team', created_at: AT };
const ada = { id: 1, user_name: 'ada', group_id: 2, role: 'admin', created_at: AT };
/** The group of the administrators, which every database has from the start. */
const admin = { id: 1, name: 'admin', description: 'System administrators', created_at: expect.any(String) };

const whole = (...items: unknown[]) => ({
  items,
  offset: 0,
  limit: 100_000,
  total_count: items.length,
  has_more: false,
});

export const accessCases: Cases = {
  checkAccess: {
    answers: [
      {
        says: 'answers yes for the owner',
        params: { workflow_id: 1, user_name: 'ada' },
        reply: { has_access: true, user_name: 'ada', workflow_id: 1 },
      },
      {
        says: 'answers no for another user, also while access is not enforced',
        params: { workflow_id: 1, user_name: 'another user' },
        reply: { has_access: false, user_name: 'another user', workflow_id: 1 },
      },
      {
        says: 'answers no for a workflow that does not exist',
        params: { workflow_id: 9, user_name: 'ada' },
        reply: { has_access: false, user_name: 'ada', workflow_id: 9 },
      },
    ],
    refuses: [
      {
        says: 'names the id that is none',
        params: { workflow_id: 'x', user_name: 'ada' },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'Invalid URL: workflow_id: ',
      },
    ],
  },
  createAccessGroup: {
    answers: [
      {
        says: 'creates it',
        body: { name: 'new', description: null },
        reply: { id: 3, name: 'new', created_at: AT },
      },
    ],
    refuses: [
      {
        says: 'keeps one of a name',
        body: { name: 'team' },
        status: 422,
        code: 'DUPLICATE',
        message: "Group 'team' already exists",
      },
    ],
  },
  listAccessGroups: {
    answers: [
      { says: 'lists all by name', reply: whole(admin, team) },
      {
        says: 'lists a part',
        query: { offset: 1, limit: 1 },
        reply: { items: [team], offset: 1, limit: 1, total_count: 2, has_more: false },
      },
    ],
    refuses: [
      {
        says: 'refuses a negative limit',
        query: { limit: -1 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'limit cannot be negative',
      },
    ],
  },
  getAccessGroup: {
    answers: [{ says: 'returns it', params: { id: 2 }, reply: team }],
    refuses: [{ says: 'answers 404 for one that does not exist', params: { id: 9 }, ...unknownGroup }],
  },
  deleteAccessGroup: {
    answers: [
      {
        says: 'returns what it was; it has no members and nothing is shared with it any more',
        params: { id: 2 },
        reply: team,
        after: async ({ client }) => {
          expect((await client.listUserGroups({ params: { user_name: 'ada' } })).items).toEqual([]);
          expect((await client.listWorkflowGroups({ params: { id: 1 } })).items).toEqual([]);
        },
      },
    ],
    refuses: [
      { says: 'answers 404 for one that does not exist', params: { id: 9 }, ...unknownGroup },
      {
        says: 'keeps that of the administrators',
        params: { id: 1 },
        status: 403,
        code: 'FORBIDDEN',
        message: 'Cannot delete system groups',
      },
    ],
  },
  addGroupMember: {
    answers: [
      {
        says: 'puts a user into the group of the path, with any role',
        params: { id: 2 },
        body: { user_name: 'eve', group_id: 7, role: 'guest' },
        reply: { id: 2, user_name: 'eve', group_id: 2, role: 'guest', created_at: AT },
      },
    ],
    refuses: [
      {
        says: 'refuses a second membership of a user',
        params: { id: 2 },
        body: { user_name: 'ada', group_id: 2, role: 'member' },
        status: 422,
        code: 'DUPLICATE',
        message: "User 'ada' is already a member of group 2",
      },
      {
        says: 'leaves the administrators to the settings of the server',
        params: { id: 1 },
        body: { user_name: 'eve', group_id: 1, role: 'member' },
        status: 403,
        code: 'FORBIDDEN',
        message: 'Admin group membership is managed via server configuration',
      },
      {
        says: 'requires a role',
        params: { id: 2 },
        body: { user_name: 'eve', group_id: 2 },
        status: 422,
        code: 'BODY_REFUSED',
        message: 'role: ',
      },
    ],
  },
  listGroupMembers: {
    answers: [{ says: 'lists them by name', params: { id: 2 }, reply: whole(ada) }],
    refuses: [{ says: 'answers 404 for a group that does not exist', params: { id: 9 }, ...unknownGroup }],
  },
  removeGroupMember: {
    answers: [{ says: 'returns who it was', params: { id: 2, user_name: 'ada' }, reply: ada }],
    refuses: [
      {
        says: 'answers 404 for one who is not in it',
        params: { id: 2, user_name: 'eve' },
        status: 404,
        code: 'NOT_FOUND',
        message: "User 'eve' is not a member of group 2",
      },
    ],
  },
  listUserGroups: {
    answers: [
      { says: 'lists those of a user', params: { user_name: 'ada' }, reply: whole(team) },
      { says: 'lists none of one who is in none', params: { user_name: 'é/..' }, reply: whole() },
    ],
    refuses: [
      {
        says: 'refuses a negative offset',
        params: { user_name: 'ada' },
        query: { offset: -1 },
        status: 400,
        code: 'PARAMETER_REFUSED',
        message: 'offset cannot be negative',
      },
    ],
  },
  listWorkflowUsers: {
    answers: [
      {
        says: 'lists them by name, and whether access is enforced',
        params: { id: 1 },
        reply: { ...whole({ workflow_id: 1, user_name: 'eve', created_at: AT }), is_enforced: false },
      },
    ],
    refuses: [inUnknownWorkflow],
  },
  shareWorkflow: {
    answers: [
      {
        says: 'shares it with a user',
        params: { id: 2, user_name: 'eve' },
        reply: { workflow_id: 2, user_name: 'eve', created_at: AT },
        after: async ({ client }) =>
          expect(await client.checkAccess({ params: { workflow_id: 2, user_name: 'eve' } })).toMatchObject({
            has_access: true,
          }),
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9, user_name: 'eve' } },
      {
        says: 'does not share it with its owner',
        params: { id: 1, user_name: 'ada' },
        status: 422,
        code: 'SHARE_REFUSED',
        message: "Workflow 1 belongs to 'ada'",
      },
      {
        says: 'shares it once',
        params: { id: 1, user_name: 'eve' },
        status: 422,
        code: 'DUPLICATE',
        message: "Workflow 1 is already shared with user 'eve'",
      },
    ],
  },
  unshareWorkflow: {
    answers: [
      {
        says: 'stops sharing it with a user',
        params: { id: 1, user_name: 'eve' },
        reply: { workflow_id: 1, user_name: 'eve', created_at: AT },
      },
    ],
    refuses: [
      {
        says: 'does not take back what was not shared',
        params: { id: 1, user_name: 'bob' },
        status: 404,
        code: 'NOT_FOUND',
        message: "Workflow 1 is not shared with user 'bob'",
      },
    ],
  },
  listWorkflowGroups: {
    answers: [{ says: 'lists who may see it', params: { id: 1 }, reply: whole(team) }],
    refuses: [inUnknownWorkflow],
  },
  addWorkflowToGroup: {
    answers: [
      {
        says: 'shares it',
        params: { id: 2, group_id: 2 },
        reply: { workflow_id: 2, group_id: 2, created_at: AT },
        after: async ({ client }) =>
          expect((await client.listWorkflows({ query: { access_group: 'team' } })).total_count).toBe(2),
      },
    ],
    refuses: [
      { ...unknownWorkflow, params: { id: 9, group_id: 2 } },
      { says: 'answers 404 for a group that does not exist', params: { id: 1, group_id: 9 }, ...unknownGroup },
      {
        says: 'shares it once',
        params: { id: 1, group_id: 2 },
        status: 422,
        code: 'DUPLICATE',
        message: 'Workflow 1 is already associated with group 2',
      },
    ],
  },
  removeWorkflowFromGroup: {
    answers: [
      {
        says: 'stops sharing it',
        params: { id: 1, group_id: 2 },
        reply: { workflow_id: 1, group_id: 2, created_at: AT },
      },
    ],
    refuses: [
      {
        says: 'does not take back what was not shared',
        params: { id: 2, group_id: 2 },
        status: 404,
        code: 'NOT_FOUND',
        message: 'Workflow 2 is not associated with group 2',
      },
    ],
  },
};
