--! beside 0014: no, it would make a job ready for others that a runner starts by itself
--
-- Jobs that are claimed ahead: blocked, and in the name of the runner that holds every job for which they still wait. The
-- runner starts such a job by itself when the last of these has completed there; when the server hears of that, the job
-- goes from blocked to pending in the name of that runner. Statuses: 1 blocked, 3 pending, 4 running; 5 completed,
-- 6 failed, 8 terminated are reported ends.

create index job_ahead on job (claimed_by) where status = 1 and claimed_by is not null;

-- A job that is claimed ahead may have been started, too: whatever takes it out of blocked, other than to pending, leaves
-- an attempt behind.
drop trigger attempt_left_behind;
create trigger attempt_left_behind after update of status on job
when old.claimed_by is not null and (
  (old.status in (3, 4) and new.status not in (3, 4, 5, 6, 8))
  or (old.status = 1 and new.status not in (1, 3)))
begin
  insert or replace into held_attempt (job_id, attempt_id, workflow_id, compute_node_id, run_id)
  select old.id, old.attempt_id, old.workflow_id, old.claimed_by, workflow.run_id
  from workflow
  where workflow.id = old.workflow_id
    and exists (select 1 from compute_node where compute_node.id = old.claimed_by);
  -- The job will run again: never as the attempt that still runs.
  update job set attempt_id = attempt_id + 1
  where id = new.id and new.status in (0, 1, 2) and new.attempt_id = old.attempt_id;
end;
