--! beside 0015: yes, columns with a default, and a new table
--
-- Recovery. `result.cause` says in words why an attempt ended where its return code does not: the state in which Slurm
-- ended its allocation. `job.refunded_attempts` counts the attempts that were lost with their runner: they count for no
-- failure handler. A lease makes one command at a time recover a workflow.

alter table result add column cause text;
alter table job add column refunded_attempts integer not null default 0;

create table recovery_lease (
  workflow_id integer primary key references workflow on delete cascade,
  -- Identifies the command to itself, and names it to others.
  token text not null,
  holder text not null,
  until_ms integer not null
) strict;
