--! beside 0003: yes, only a new table
--
-- Work that goes on after the answer to who asked for it.

create table task (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  operation text not null,
  status text not null,
  parameters text not null,
  created_at_ms integer not null,
  started_at_ms integer,
  finished_at_ms integer,
  error text
) strict;
create index task_workflow on task (workflow_id);
