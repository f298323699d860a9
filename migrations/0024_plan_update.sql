--! beside 0023: yes, a column that may be empty, and a table that earlier servers do not know
--
-- An update of a plan. A job that it removes and that has results is disabled and stays with them; the column says since when,
-- in Unix milliseconds. The steps of an update that takes several transactions are stored before the first of them is applied,
-- with the ids of the records that a step has added.

alter table job add column removed_at_ms integer;

create table plan_update_step (
  workflow_id integer not null references workflow on delete cascade,
  position integer not null,
  step text not null,
  ids text,
  primary key (workflow_id, position)
) strict, without rowid;
