import type { AccessGroup, Membership, WorkflowAccessGroup, WorkflowAccessUser } from '../../core/contract/access.ts';
import { type RecordTable, recordTables } from '../../core/contract/routes/route.ts';
import type { Database, Statement, ColumnValue } from '../store/database.ts';

interface GroupRow {
  id: number;
  name: string;
  description: string | null;
  created_at: string;
}

/** Replies do not contain which groups are system groups. */
export const accessGroupOf = ({ id, name, description, created_at }: GroupRow): AccessGroup => ({
  id,
  name,
  ...(description === null ? {} : { description }),
  created_at,
});

const columns = 'access_group.id, access_group.name, access_group.description, access_group.created_at';

/** A list with its number of rows, which may be requested in pages. */
function listed<P extends Record<string, ColumnValue>, Row>(db: Database, select: string, from: string, order: string) {
  const page = db.prepare<P & { limit: number; offset: number }, Row>(
    `select ${select} from ${from} order by ${order} limit :limit offset :offset`,
  );
  const count = db.prepare<P, { rows: number }>(`select count(*) as rows from ${from}`);
  return (parameters: P, { limit, offset }: { limit: number; offset: number }) => ({
    rows: page.all({ ...parameters, limit, offset }),
    total: count.get(parameters)?.rows ?? 0,
  });
}

/** Groups, their members, and with whom workflows are shared. */
export const groupQueries = (db: Database) => ({
  group: db.prepare<{ id: number }, GroupRow & { is_system: number }>('select * from access_group where id = :id'),
  groupNamed: db.prepare<{ name: string }, { id: number }>('select id from access_group where name = :name'),
  insertGroup: db.prepare<{ name: string; description: string | null; at: string }>(
    'insert into access_group (name, description, created_at) values (:name, :description, :at)',
  ),
  deleteGroup: db.prepare<{ id: number }>('delete from access_group where id = :id'),
  groups: listed<Record<string, never>, GroupRow>(db, columns, 'access_group', 'access_group.name'),
  groupsOfUser: listed<{ user: string }, GroupRow>(
    db,
    columns,
    `access_group
      join user_group_membership member on member.group_id = access_group.id and member.user_name = :user`,
    'access_group.name',
  ),
  groupsOfWorkflow: listed<{ workflowId: number }, GroupRow>(
    db,
    columns,
    `access_group join workflow_access_group share on share.group_id = access_group.id and share.workflow_id = :workflowId`,
    'access_group.name',
  ),

  membership: db.prepare<{ groupId: number; user: string }, Membership>(
    'select * from user_group_membership where group_id = :groupId and user_name = :user',
  ),
  insertMembership: db.prepare<{ groupId: number; user: string; role: string; at: string }>(`
    insert into user_group_membership (user_name, group_id, role, created_at) values (:user, :groupId, :role, :at)`),
  deleteMembership: db.prepare<{ groupId: number; user: string }>(
    'delete from user_group_membership where group_id = :groupId and user_name = :user',
  ),
  members: listed<{ groupId: number }, Membership>(
    db,
    '*',
    'user_group_membership where group_id = :groupId',
    'user_name',
  ),

  share: db.prepare<{ workflowId: number; groupId: number }, WorkflowAccessGroup>(
    'select * from workflow_access_group where workflow_id = :workflowId and group_id = :groupId',
  ),
  insertShare: db.prepare<{ workflowId: number; groupId: number; at: string }>(`
    insert into workflow_access_group (workflow_id, group_id, created_at) values (:workflowId, :groupId, :at)`),
  deleteShare: db.prepare<{ workflowId: number; groupId: number }>(
    'delete from workflow_access_group where workflow_id = :workflowId and group_id = :groupId',
  ),

  userShare: db.prepare<{ workflowId: number; user: string }, WorkflowAccessUser>(
    'select * from workflow_access_user where workflow_id = :workflowId and user_name = :user',
  ),
  insertUserShare: db.prepare<{ workflowId: number; user: string; at: string }>(`
    insert into workflow_access_user (workflow_id, user_name, created_at) values (:workflowId, :user, :at)`),
  deleteUserShare: db.prepare<{ workflowId: number; user: string }>(
    'delete from workflow_access_user where workflow_id = :workflowId and user_name = :user',
  ),
  usersOfWorkflow: listed<{ workflowId: number }, WorkflowAccessUser>(
    db,
    '*',
    'workflow_access_user where workflow_id = :workflowId',
    'user_name',
  ),
});

/** The id of the system group of administrators. */
const ADMINISTRATORS = 1;

/** The relation of users to a workflow and to a group. */
export const accessQueries = (db: Database) => ({
  owner: db.prepare<{ id: number }, { user: string }>('select user from workflow where id = :id'),
  sharedWith: db.prepare<{ id: number; user: string }, { shared: 1 }>(
    'select 1 as shared from workflow_sharing where workflow_id = :id and user_name = :user limit 1',
  ),
  isAdministrator: db.prepare<{ user: string }, { member: 1 }>(
    `select 1 as member from user_group_membership where group_id = ${ADMINISTRATORS} and user_name = :user`,
  ),
  isGroupAdministrator: db.prepare<{ groupId: number; user: string }, { member: 1 }>(`
    select 1 as member from user_group_membership
    where group_id = :groupId and user_name = :user and role = 'admin'`),
  workflowOfTask: db.prepare<{ id: number }, { workflow_id: number }>(
    'select workflow_id from async_handle where id = :id',
  ),
  workflowOf: subjectQueries(db),
  removeAdministrators: db.prepare<{ names: string }>(`
    delete from user_group_membership where group_id = ${ADMINISTRATORS}
    and user_name not in (select value from json_each(:names))`),
  addAdministrators: db.prepare<{ names: string; at: string }>(`
    insert into user_group_membership (user_name, group_id, role, created_at)
    select value, ${ADMINISTRATORS}, 'admin', :at from json_each(:names)
    where true on conflict do nothing`),
});

/** The workflow to which a record belongs. */
export const subjectQueries = (db: Database) =>
  Object.fromEntries(
    recordTables.map((table) => [
      table,
      db.prepare<{ id: number }, { workflow_id: number }>(`select workflow_id from ${table} where id = :id`),
    ]),
  ) as { [T in RecordTable]: Statement<{ id: number }, { workflow_id: number }> };
