--! beside 0000: no, it is the first
--
-- The whole truth of the service. Tables and columns that administrators query keep the original's names; what is ours
-- stands at the end of a table, behind a line that says so. Ids are never given twice: files on compute nodes name them.

create table workflow (
  id integer primary key autoincrement,
  name text not null,
  user text not null,
  description text,
  timestamp text not null,
  project text,
  metadata text,
  env text,
  compute_node_expiration_buffer_seconds integer,
  compute_node_wait_for_new_jobs_seconds integer not null default 0,
  compute_node_ignore_workflow_completion integer not null default 0,
  compute_node_wait_for_healthy_database_minutes integer not null default 20,
  compute_node_min_time_for_new_jobs_seconds integer not null default 300,
  resource_monitor_config text,
  execution_config text,
  slurm_defaults text,
  use_pending_failed integer not null default 0,
  enable_ro_crate integer not null default 0,
  dynamic_jobs text,
  submission_directory text,
  run_id integer not null default 0,
  is_canceled integer not null default 0,
  is_archived integer not null default 0
) strict;

create table resource_requirements (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  num_cpus integer not null,
  num_gpus integer not null,
  num_nodes integer not null,
  memory text not null,
  runtime text not null,
  memory_bytes integer not null,
  runtime_s integer not null
) strict;
create index resource_requirements_workflow on resource_requirements (workflow_id);

create table slurm_scheduler (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  account text not null,
  nodes integer not null,
  walltime text not null,
  gres text,
  mem text,
  ntasks_per_node integer,
  partition text,
  qos text,
  tmp text,
  extra text,
  serialize_allocations integer not null default 0
) strict;
create index slurm_scheduler_workflow on slurm_scheduler (workflow_id);

create table failure_handler (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  rules text not null
) strict;
create index failure_handler_workflow on failure_handler (workflow_id);

create table workflow_action (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  trigger_type text not null,
  action_type text not null,
  action_config text not null,
  job_ids text,
  trigger_count integer not null default 0,
  required_triggers integer not null default 1,
  executed integer not null default 0,
  executed_at text,
  executed_by integer,
  persistent integer not null default 0,
  is_recovery integer not null default 0
) strict;
create index workflow_action_workflow on workflow_action (workflow_id);

create table compute_node (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  hostname text not null,
  pid integer not null,
  start_time text not null,
  end_time text,
  duration_seconds real,
  is_active integer not null default 0,
  num_cpus integer not null,
  memory_gb real not null,
  num_gpus integer not null,
  num_nodes integer not null,
  time_limit text,
  scheduler_config_id integer,
  compute_node_type text not null,
  scheduler text,
  sample_count integer,
  peak_cpu_percent real,
  avg_cpu_percent real,
  peak_memory_bytes integer,
  avg_memory_bytes integer,
  labels text,
  -- ours
  process text
) strict;
create index compute_node_workflow on compute_node (workflow_id);

-- Jobs that are alike for a claim: the same needs, scheduler and labels (ours). A claim looks at each class once instead
-- of at each job, so a hundred thousand jobs that do not fit cost as much as one.
create table job_class (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  resource_requirements_id integer not null,
  scheduler_id integer,
  labels text
) strict;
create unique index job_class_of on job_class (
  workflow_id, resource_requirements_id, coalesce(scheduler_id, 0), coalesce(labels, '')
);

-- Ids of other tables are checked by the code that writes them: as foreign keys they would cost an index each, for deletes.
create table job (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  command text not null,
  invocation_script text,
  env text,
  status integer not null default 0 check (status between 0 and 10),
  cancel_on_blocking_job_failure integer not null default 1,
  supports_termination integer,
  resource_requirements_id integer not null,
  scheduler_id integer,
  failure_handler_id integer,
  attempt_id integer not null default 1,
  priority integer not null default 0,
  compute_node_id integer,
  start_time text,
  origin text,
  labels text,
  -- ours
  class_id integer not null,
  -- dependencies that have not ended yet
  unmet integer not null default 0,
  -- did one that ended go wrong?
  upstream_failed integer not null default 0,
  -- the runner that it was handed to, from the claim on
  claimed_by integer,
  -- its current result
  result_id integer
) strict;
create index job_workflow on job (workflow_id);
-- Every runner asks for these, in this order.
create index job_ready on job (class_id, priority desc, id) where status = 2;
-- Few at any time, and asked for often: all but those that have not begun and those that are completed. As a list of
-- statuses the condition would cost 5 µs at every change of one, as comparisons it costs nothing.
create index job_unsettled on job (workflow_id, status) where status > 2 and status <> 5;

-- How many jobs of a workflow are in each status: kept, never counted.
create table job_count (
  workflow_id integer not null references workflow on delete cascade,
  status integer not null,
  jobs integer not null,
  primary key (workflow_id, status)
) strict, without rowid;

-- A row for each status from the start, so that a change only adds and subtracts.
create trigger workflow_counts after insert on workflow begin
  insert into job_count (workflow_id, status, jobs)
    values (new.id, 0, 0), (new.id, 1, 0), (new.id, 2, 0), (new.id, 3, 0), (new.id, 4, 0), (new.id, 5, 0),
      (new.id, 6, 0), (new.id, 7, 0), (new.id, 8, 0), (new.id, 9, 0), (new.id, 10, 0);
end;

create trigger job_counted_in after insert on job begin
  update job_count set jobs = jobs + 1 where workflow_id = new.workflow_id and status = new.status;
end;

create trigger job_counted_over after update of status on job when old.status <> new.status begin
  update job_count set jobs = jobs - 1 where workflow_id = old.workflow_id and status = old.status;
  update job_count set jobs = jobs + 1 where workflow_id = new.workflow_id and status = new.status;
end;

create trigger job_counted_out after delete on job begin
  update job_count set jobs = jobs - 1 where workflow_id = old.workflow_id and status = old.status;
end;

create table job_depends_on (
  job_id integer not null references job on delete cascade,
  depends_on_job_id integer not null references job on delete cascade,
  workflow_id integer not null,
  primary key (job_id, depends_on_job_id)
) strict, without rowid;
create index job_depends_on_reverse on job_depends_on (depends_on_job_id);

create table file (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  path text not null,
  st_mtime real
) strict;
create index file_workflow on file (workflow_id);

create table user_data (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  name text not null,
  data text,
  is_ephemeral integer not null default 0,
  -- ours: the value when the workflow was last initialised
  initialized_data text
) strict;
create index user_data_workflow on user_data (workflow_id);

create table job_input_file (
  job_id integer not null references job on delete cascade,
  file_id integer not null references file on delete cascade,
  workflow_id integer not null,
  primary key (job_id, file_id)
) strict, without rowid;
create index job_input_file_reverse on job_input_file (file_id);

create table job_output_file (
  job_id integer not null references job on delete cascade,
  file_id integer not null references file on delete cascade,
  workflow_id integer not null,
  primary key (job_id, file_id)
) strict, without rowid;
create index job_output_file_reverse on job_output_file (file_id);

create table job_input_user_data (
  job_id integer not null references job on delete cascade,
  user_data_id integer not null references user_data on delete cascade,
  workflow_id integer not null,
  primary key (job_id, user_data_id)
) strict, without rowid;
create index job_input_user_data_reverse on job_input_user_data (user_data_id);

create table job_output_user_data (
  job_id integer not null references job on delete cascade,
  user_data_id integer not null references user_data on delete cascade,
  workflow_id integer not null,
  primary key (job_id, user_data_id)
) strict, without rowid;
create index job_output_user_data_reverse on job_output_user_data (user_data_id);

create table result (
  id integer primary key,
  job_id integer not null references job on delete cascade,
  workflow_id integer not null,
  run_id integer not null,
  attempt_id integer not null default 1,
  compute_node_id integer not null,
  return_code integer not null,
  exec_time_minutes real not null,
  completion_time text not null,
  status integer not null,
  peak_memory_bytes integer,
  avg_memory_bytes integer,
  peak_cpu_percent real,
  avg_cpu_percent real,
  unique (job_id, run_id, attempt_id)
) strict;
create index result_workflow on result (workflow_id);

-- The original keeps a table of pointers to current results.
create view workflow_result as
  select job.workflow_id, job.id as job_id, job.result_id from job where job.result_id is not null;

-- What people and programs wrote down.
create table event (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  timestamp integer not null,
  data text not null
) strict;
create index event_workflow on event (workflow_id);

-- Every change of state, written in the transaction that made it (ours). The event stream is read from here. A row may
-- speak of many jobs; no index but the id until a query proves the need.
create table change_log (
  id integer primary key autoincrement,
  workflow_id integer not null,
  at_ms integer not null,
  event_type text not null,
  data text not null
) strict;
