--! beside 0007: yes, an index, a column with a default, and a new table
--
-- The log of changes is read by workflow and bounded: old rows are removed.

create index change_log_workflow on change_log (workflow_id);

-- Characters that this row and all rows before it hold. The size of the log is the difference of two rows, so nobody has
-- to add up a million of them.
alter table change_log add column end_length integer not null default 0;

-- The last row of a workflow that was removed: a client that saw less than this missed something.
create table change_log_pruned (
  workflow_id integer primary key references workflow on delete cascade,
  last_id integer not null
) strict;
