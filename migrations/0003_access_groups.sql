--! beside 0002: yes, only new tables
--
-- Who may see whose workflows. The system group is that of the administrators, whose members the server's settings name.

create table access_group (
  id integer primary key autoincrement,
  name text not null unique,
  description text,
  is_system integer not null default 0,
  created_at text not null
) strict;
insert into access_group (name, description, is_system, created_at)
  values ('admin', 'System administrators', 1, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));

create table user_group_membership (
  id integer primary key autoincrement,
  user_name text not null,
  group_id integer not null references access_group on delete cascade,
  role text not null default 'member',
  created_at text not null,
  unique (user_name, group_id)
) strict;
create index user_group_membership_group on user_group_membership (group_id);

create table workflow_access_group (
  workflow_id integer not null references workflow on delete cascade,
  group_id integer not null references access_group on delete cascade,
  created_at text not null,
  primary key (workflow_id, group_id)
) strict, without rowid;
create index workflow_access_group_group on workflow_access_group (group_id);
