--! beside 0024: no, a table and a view that earlier servers do not know
--
-- A workflow is shared with single users, too. The view has who may see which workflow: by name, or as a member of a group.

create table workflow_access_user (
  workflow_id integer not null references workflow on delete cascade,
  user_name text not null,
  created_at text not null,
  primary key (workflow_id, user_name)
) strict, without rowid;
create index workflow_access_user_name on workflow_access_user (user_name);

create view workflow_sharing as
  select workflow_id, user_name from workflow_access_user
  union all
  select share.workflow_id, member.user_name
  from workflow_access_group share
  join user_group_membership member on member.group_id = share.group_id;
