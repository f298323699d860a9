import * as z from 'zod';
import {
  AccessCheck,
  NewAccessGroup,
  AccessGroup,
  NewMembership,
  Membership,
  WorkflowAccessGroup,
  WorkflowAccessUser,
  groupPage,
  groupPaging,
} from '../access.ts';
import { flag, page, paging, queryFlag, queryInteger, text } from '../shape.ts';
import { Workflow } from '../workflow.ts';
import { ofId, type Route, route, workflowRoute } from './route.ts';

/** Groups of users, and the workflows that they may see. */
export const accessRoutes = {
  checkAccess: route('GET', '/access_check/{workflow_id}/{user_name}', 'read', 'oneself', {
    says: 'Whether a user may see a workflow: as its owner, or because it is shared with the user or a group of the user.',
    params: z.object({ workflow_id: queryInteger, user_name: text }),
    reply: AccessCheck,
  }),
  createAccessGroup: route('POST', '/access_groups', 'write', 'administrator', {
    says: 'Create a group of users.',
    body: NewAccessGroup,
    reply: AccessGroup,
  }),
  listAccessGroups: route('GET', '/access_groups', 'read', 'administrator', {
    says: 'List all groups by name.',
    query: groupPaging,
    reply: groupPage(AccessGroup),
  }),
  getAccessGroup: route('GET', '/access_groups/{id}', 'read', 'administrator', {
    says: 'Get one group.',
    params: ofId,
    reply: AccessGroup,
  }),
  deleteAccessGroup: route('DELETE', '/access_groups/{id}', 'write', 'administrator', {
    says: 'Delete a group with its memberships; system groups are refused.',
    params: ofId,
    reply: AccessGroup,
  }),
  addGroupMember: route('POST', '/access_groups/{id}/members', 'write', 'group administrator', {
    says: 'Add a user to a group.',
    params: ofId,
    body: NewMembership,
    reply: Membership,
  }),
  listGroupMembers: route('GET', '/access_groups/{id}/members', 'read', 'administrator', {
    says: 'List the members of a group by name.',
    params: ofId,
    query: groupPaging,
    reply: groupPage(Membership),
  }),
  removeGroupMember: route('DELETE', '/access_groups/{id}/members/{user_name}', 'write', 'group administrator', {
    says: 'Remove a user from a group.',
    params: z.object({ id: queryInteger, user_name: text }),
    reply: Membership,
  }),
  listUserGroups: route('GET', '/users/{user_name}/groups', 'read', 'oneself', {
    says: 'List the groups of a user by name.',
    params: z.object({ user_name: text }),
    query: groupPaging,
    reply: groupPage(AccessGroup),
  }),
  listSharedWorkflows: route('GET', '/users/{user_name}/shared_workflows', 'read', 'oneself', {
    reads: 'page',
    says: 'List the workflows of other users that are shared with a user, or with a group of the user.',
    params: z.object({ user_name: text }),
    query: z.object({ is_archived: queryFlag.optional(), ...paging }),
    reply: page(Workflow),
  }),
  listWorkflowGroups: workflowRoute('GET', '/workflows/{id}/access_groups', 'read', {
    says: 'List the groups that may see a workflow.',
    query: groupPaging,
    reply: groupPage(AccessGroup),
  }),
  addWorkflowToGroup: route('POST', '/workflows/{id}/access_groups/{group_id}', 'write', 'sharer', {
    says: 'Share a workflow with a group.',
    params: z.object({ id: queryInteger, group_id: queryInteger }),
    reply: WorkflowAccessGroup,
  }),
  removeWorkflowFromGroup: route('DELETE', '/workflows/{id}/access_groups/{group_id}', 'write', 'sharer', {
    says: 'Stop sharing a workflow with a group.',
    params: z.object({ id: queryInteger, group_id: queryInteger }),
    reply: WorkflowAccessGroup,
  }),
  listWorkflowUsers: workflowRoute('GET', '/workflows/{id}/access_users', 'read', {
    says: 'List the users that a workflow is shared with, and whether the server enforces access.',
    query: groupPaging,
    reply: groupPage(WorkflowAccessUser).extend({ is_enforced: flag }),
  }),
  shareWorkflow: route('POST', '/workflows/{id}/access_users/{user_name}', 'write', 'owner', {
    says: 'Share a workflow with a user.',
    params: z.object({ id: queryInteger, user_name: text }),
    reply: WorkflowAccessUser,
  }),
  unshareWorkflow: route('DELETE', '/workflows/{id}/access_users/{user_name}', 'write', 'owner', {
    says: 'Stop sharing a workflow with a user.',
    params: z.object({ id: queryInteger, user_name: text }),
    reply: WorkflowAccessUser,
  }),
} as const satisfies Record<string, Route>;
