--! beside 0013: no, a trigger that earlier servers do not know
--
-- A job that has ended in whatever way may have an attempt that a runner still holds: it was canceled, or somebody else
-- reported its end. When it is opened again it is the next attempt, never the one that still runs. Statuses: 0 to 4 are
-- those of an open job, 5 to 10 the others.

drop trigger canceled_attempt_left_behind;
create trigger ended_attempt_left_behind after update of status on job
when old.status > 4 and new.status <= 4 and new.attempt_id = old.attempt_id
  and exists (select 1 from held_attempt where job_id = new.id and attempt_id = new.attempt_id)
begin
  update job set attempt_id = attempt_id + 1 where id = new.id;
end;
