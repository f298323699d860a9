--! beside 0001: yes, only new tables
--
-- What asks for machines and what came of it: allocations, workers by ssh, what Slurm measured; and what a research object says.

create table local_scheduler (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  memory text not null,
  num_cpus integer not null
) strict;
create index local_scheduler_workflow on local_scheduler (workflow_id);

create table scheduled_compute_node (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  scheduler_id integer not null,
  scheduler_config_id integer not null,
  scheduler_type text not null,
  status text not null
) strict;
create index scheduled_compute_node_workflow on scheduled_compute_node (workflow_id);

create table remote_worker (
  workflow_id integer not null references workflow on delete cascade,
  worker text not null,
  primary key (workflow_id, worker)
) strict, without rowid;

create table slurm_stats (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  job_id integer not null references job on delete cascade,
  run_id integer not null,
  attempt_id integer not null,
  slurm_job_id text,
  max_rss_bytes integer,
  max_vm_size_bytes integer,
  max_disk_read_bytes integer,
  max_disk_write_bytes integer,
  ave_cpu_seconds real,
  node_list text,
  unique (workflow_id, job_id, run_id, attempt_id)
) strict;
create index slurm_stats_job on slurm_stats (job_id);

create table ro_crate_entity (
  id integer primary key autoincrement,
  workflow_id integer not null references workflow on delete cascade,
  file_id integer references file on delete set null,
  entity_id text not null,
  entity_type text not null,
  metadata text not null,
  unique (workflow_id, entity_id),
  unique (workflow_id, file_id)
) strict;
create index ro_crate_entity_file on ro_crate_entity (file_id);
