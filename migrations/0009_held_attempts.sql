--! beside 0008: no, it would hand out jobs whose earlier attempt still runs
--
-- Attempts that a runner still holds although their job has moved on: it was canceled, reset or set by hand. The runner
-- needs time to end the process. Until the runner reports the end, is deregistered or is proven lost, the attempt counts
-- as busy and no claim hands the job out again. The table is nearly always empty.

create table held_attempt (
  job_id integer not null references job on delete cascade,
  attempt_id integer not null,
  workflow_id integer not null,
  compute_node_id integer not null references compute_node on delete cascade,
  run_id integer not null,
  primary key (job_id, attempt_id)
) strict, without rowid;
create index held_attempt_node on held_attempt (workflow_id, compute_node_id);
create index held_attempt_of_node on held_attempt (compute_node_id);

-- A trigger, so that no statement can forget it: whatever takes a claimed job out of pending or running, other than to
-- an end that was reported, leaves an attempt behind. A statement by which the runner itself lets go of the attempt
-- clears claimed_by first. Statuses: 3 pending, 4 running; 5 completed, 6 failed, 8 terminated are reported ends.
create trigger attempt_left_behind after update of status on job
when old.status in (3, 4) and old.claimed_by is not null and new.status not in (3, 4, 5, 6, 8)
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

-- 7 canceled: the job keeps the number of the attempt that was canceled until it is opened again.
create trigger canceled_attempt_left_behind after update of status on job
when old.status = 7 and new.status in (0, 1, 2) and new.attempt_id = old.attempt_id
  and exists (select 1 from held_attempt where job_id = new.id and attempt_id = new.attempt_id)
begin
  update job set attempt_id = attempt_id + 1 where id = new.id;
end;
