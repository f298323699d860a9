--! beside 0012: no, it would take sums that are being counted for counted ones
--
-- The times of a workflow are counted in slices. `is_stale` is 2 meanwhile, and what changes then makes the row stale as well.

drop trigger result_replaced;
create trigger result_replaced after update of result_id on job
when old.result_id is not null and old.result_id is not new.result_id
begin
  insert into workflow_time (workflow_id, minutes, is_stale) values (old.workflow_id, 0, 1)
  on conflict (workflow_id) do update set is_stale = 1 where is_stale <> 1;
end;

drop trigger result_gone;
create trigger result_gone after delete on job when old.result_id is not null
begin
  update workflow_time set is_stale = 1 where workflow_id = old.workflow_id and is_stale <> 1;
end;

drop trigger result_changed;
create trigger result_changed after update of exec_time_minutes, completion_time on result
begin
  update workflow_time set is_stale = 1 where workflow_id = old.workflow_id and is_stale <> 1;
end;
