--! beside 0009: no, it would not go on with work that was begun
--
-- Work on many rows is done in slices. What is left of it stands here, so that a server that is killed goes on with it.

-- When a workflow was deleted: from then on it is gone for everybody, and its rows are removed in the background.
alter table workflow add column removed_at_ms integer;

-- What a server is doing to a whole workflow: one piece of work at a time, and no other write to the workflow meanwhile.
-- Without references, which would cost every deletion a look-up.
create table workflow_work (
  workflow_id integer primary key,
  kind text not null,
  parameters text not null
) strict;

-- Jobs that ended and whose dependants have not all been told yet. `after_id` is the last one that was.
create table job_release (
  job_id integer primary key,
  workflow_id integer not null,
  failed integer not null,
  after_id integer not null
) strict;
create index job_release_workflow on job_release (workflow_id);
