--! beside 0005: no, it would not keep the sums
--
-- How long the jobs of a workflow took in all, and from when to when: kept as they end, for counting a million results takes
-- a second. What changes otherwise than by an end makes the row stale, and it is counted anew when somebody asks.

create table workflow_time (
  workflow_id integer primary key references workflow on delete cascade,
  minutes real not null,
  first_s real,
  last_s real,
  is_stale integer not null default 0
) strict;
insert into workflow_time (workflow_id, minutes, is_stale) select id, 0, 1 from workflow;

create trigger result_replaced after update of result_id on job
when old.result_id is not null and old.result_id is not new.result_id
begin
  insert into workflow_time (workflow_id, minutes, is_stale) values (old.workflow_id, 0, 1)
  on conflict (workflow_id) do update set is_stale = 1 where is_stale = 0;
end;

create trigger result_gone after delete on job when old.result_id is not null
begin
  update workflow_time set is_stale = 1 where workflow_id = old.workflow_id and is_stale = 0;
end;

create trigger result_changed after update of exec_time_minutes, completion_time on result
begin
  update workflow_time set is_stale = 1 where workflow_id = old.workflow_id and is_stale = 0;
end;
