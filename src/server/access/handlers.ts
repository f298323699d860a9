import type { GroupPaging } from '../../core/contract/access.ts';
import { Refusal } from '../../core/contract/refusals.ts';
import { PAGE_LIMIT } from '../../core/contract/shape.ts';
import { missingRecord } from '../records/find.ts';
import type { Permissions } from '../caller.ts';
import type { Handlers } from '../handlers.ts';
import type { Store } from '../records/store.ts';
import { accessGroupOf, groupQueries } from './queries.ts';
import type { LoginCheck } from './login.ts';
import type { Sessions } from './sessions.ts';

/** Groups of users, and with whom workflows are shared. */
export const accessHandlers = (
  { db, find, now }: Store,
  permissions: Permissions,
  sessions: Sessions,
  knows: LoginCheck['knows'],
) => {
  const queries = groupQueries(db);
  const at = () => new Date(now()).toISOString();
  const group = (id: number) => queries.group.get({ id }) ?? missingRecord('Group', id);
  /** A group whose members are not those in the server's settings. */
  const ownGroup = (id: number) => {
    const found = group(id);
    if (found.is_system === 0) return found;
    throw new Refusal('FORBIDDEN', 'Admin group membership is managed via server configuration', { group_id: id });
  };
  const absent = (words: string): never => {
    throw new Refusal('NOT_FOUND', words);
  };
  const refuse = (words: string): never => {
    throw new Refusal('DUPLICATE', words);
  };

  return {
    createPageToken: (_, caller) => Promise.resolve({ token: sessions.createToken(caller) }),

    checkAccess: ({ params: { workflow_id: workflowId, user_name: user } }) => ({
      has_access: permissions.isFor(workflowId, user),
      user_name: user,
      workflow_id: workflowId,
    }),

    createAccessGroup({ body: { name, description } }) {
      if (queries.groupNamed.get({ name }) !== undefined) refuse(`Group '${name}' already exists`);
      const id = queries.insertGroup.insert({ name, description: description ?? null, at: at() });
      return accessGroupOf(group(id));
    },
    listAccessGroups: ({ query }) => page(query, (part) => queries.groups({}, part), accessGroupOf),
    getAccessGroup: ({ params }) => accessGroupOf(group(params.id)),
    deleteAccessGroup({ params: { id } }) {
      const found = group(id);
      if (found.is_system === 1) throw new Refusal('FORBIDDEN', 'Cannot delete system groups', { group_id: id });
      queries.deleteGroup.run({ id });
      permissions.haveChanged();
      return accessGroupOf(found);
    },

    addGroupMember({ params: { id: groupId }, body: { user_name: user, role } }) {
      ownGroup(groupId);
      if (queries.membership.get({ groupId, user }) !== undefined)
        refuse(`User '${user}' is already a member of group ${groupId}`);
      queries.insertMembership.run({ groupId, user, role, at: at() });
      return queries.membership.get({ groupId, user }) ?? absent(`User '${user}' is not a member of group ${groupId}`);
    },
    listGroupMembers({ params: { id: groupId }, query }) {
      group(groupId);
      return page(
        query,
        (part) => queries.members({ groupId }, part),
        (row) => row,
      );
    },
    removeGroupMember({ params: { id: groupId, user_name: user } }) {
      ownGroup(groupId);
      const found =
        queries.membership.get({ groupId, user }) ?? absent(`User '${user}' is not a member of group ${groupId}`);
      queries.deleteMembership.run({ groupId, user });
      permissions.haveChanged();
      return found;
    },
    listUserGroups: ({ params: { user_name: user }, query }) =>
      page(query, (part) => queries.groupsOfUser({ user }, part), accessGroupOf),

    listWorkflowGroups({ params: { id: workflowId }, query }) {
      find.run(workflowId);
      return page(query, (part) => queries.groupsOfWorkflow({ workflowId }, part), accessGroupOf);
    },
    addWorkflowToGroup({ params: { id: workflowId, group_id: groupId } }) {
      find.run(workflowId);
      group(groupId);
      if (queries.share.get({ workflowId, groupId }) !== undefined)
        refuse(`Workflow ${workflowId} is already associated with group ${groupId}`);
      const created = at();
      queries.insertShare.run({ workflowId, groupId, at: created });
      return { workflow_id: workflowId, group_id: groupId, created_at: created };
    },
    removeWorkflowFromGroup({ params: { id: workflowId, group_id: groupId } }) {
      find.run(workflowId);
      group(groupId);
      const found =
        queries.share.get({ workflowId, groupId }) ??
        absent(`Workflow ${workflowId} is not associated with group ${groupId}`);
      queries.deleteShare.run({ workflowId, groupId });
      permissions.haveChanged();
      return found;
    },

    listWorkflowUsers({ params: { id: workflowId }, query }) {
      find.run(workflowId);
      const users = page(
        query,
        (part) => queries.usersOfWorkflow({ workflowId }, part),
        (row) => row,
      );
      return { ...users, is_enforced: permissions.isEnforced };
    },
    shareWorkflow({ params: { id: workflowId, user_name: user } }) {
      if (find.workflow(workflowId).user === user)
        throw new Refusal('SHARE_REFUSED', `Workflow ${workflowId} belongs to '${user}'`, { workflowId, user });
      // Who has a workflow to share is logged in: that the name is not a user's is no secret then.
      if (knows?.(user) === false) throw new Refusal('USER_UNKNOWN', `This server has no user '${user}'`, { user });
      if (queries.userShare.get({ workflowId, user }) !== undefined)
        refuse(`Workflow ${workflowId} is already shared with user '${user}'`);
      const created = at();
      queries.insertUserShare.run({ workflowId, user, at: created });
      return { workflow_id: workflowId, user_name: user, created_at: created };
    },
    unshareWorkflow({ params: { id: workflowId, user_name: user } }) {
      find.run(workflowId);
      const found =
        queries.userShare.get({ workflowId, user }) ??
        absent(`Workflow ${workflowId} is not shared with user '${user}'`);
      queries.deleteUserShare.run({ workflowId, user });
      permissions.haveChanged();
      return found;
    },
  } satisfies Partial<Handlers>;
};

interface Rows<Row> {
  readonly rows: Row[];
  readonly total: number;
}

function page<Row, Model>(
  { offset = 0, limit = PAGE_LIMIT }: GroupPaging,
  read: (part: { offset: number; limit: number }) => Rows<Row>,
  modelOf: (row: Row) => Model,
) {
  if (offset < 0) throw new Refusal('PARAMETER_REFUSED', 'offset cannot be negative', { offset });
  if (limit < 0) throw new Refusal('PARAMETER_REFUSED', 'limit cannot be negative', { limit });
  const inForce = Math.min(limit, PAGE_LIMIT);
  const { rows, total } = read({ offset, limit: inForce });
  return {
    items: rows.map(modelOf),
    offset,
    limit: inForce,
    total_count: total,
    has_more: offset + rows.length < total,
  };
}
