/**
 * The schema `sonar` in PostgreSQL, as migrations: each is applied once, in its order, and never changed afterwards.
 *
 * Names, users, commands, cards and disks are numbers of dictionaries, found by their hash: an index takes no long text. `envelope` is the ledger: the hash of the attributes
 * of a message is unique for a cluster and a type. Tables of what happened are partitioned by the day of `time` (Unix time in
 * UTC), and a day that is over is dropped with its partitions. Rows refer to their envelope.
 *
 * `day` says of which days there are samples: `closed` is when their hours were made (null: not since samples of that day came), and
 * `has_lost` that samples of it were deleted. Hours and days are kept for ever, so they are not partitioned; `job_day`
 * has jobs of Slurm only.
 *
 * Unsigned integers of 64 bits are stored as signed ones (`sonar.uint64` shows them); a default is null. Indexes are those of
 * one day: the few values that repeat within it make them small.
 */
export const migrations: readonly string[] = [
  `
create table sonar.cluster (id int generated always as identity primary key, name text not null unique, added bigint not null, token_sha256 bytea);
create table sonar.node (id int generated always as identity primary key, cluster int not null, name text not null, short text not null, unique (cluster, name));
create index node_short on sonar.node (cluster, short);
create table sonar."user" (id int generated always as identity primary key, sha256 bytea not null unique, name text not null);
create table sonar.cmd (id int generated always as identity primary key, sha256 bytea not null unique, name text not null);
create table sonar.gpu (id int generated always as identity primary key, sha256 bytea not null unique, name text not null);
create table sonar.disk (id int generated always as identity primary key, sha256 bytea not null unique, name text not null);
create table sonar.source (id int generated always as identity primary key, sha256 bytea not null unique, name text not null);
create table sonar.content (id bigint generated always as identity primary key, sha256 bytea not null unique, text text not null);

create table sonar.envelope (
  time bigint not null, id bigint generated always as identity, cluster int not null, type text not null, sha256 bytea not null, node int,
  zone int not null, source int not null, received bigint not null, content bigint, topo_svg bigint, topo_text bigint, members text,
  primary key (time, id), unique (cluster, type, sha256, time)
) partition by range (time);
create index envelope_node on sonar.envelope (node, type, time);
create index envelope_cluster on sonar.envelope (cluster, type, time);

create table sonar.process (
  time bigint not null, envelope bigint not null, cluster int not null, node int, slot int not null, ord int, job bigint not null,
  epoch bigint not null, "user" int not null, cmd int, pid bigint, ppid bigint, rss bigint, vm bigint, threads bigint,
  cpu_avg float8, cpu_util float8, cpu_time bigint, data_read bigint, data_written bigint, data_cancelled bigint, rolledup bigint,
  container bool
) partition by range (time);
create index process_time on sonar.process using brin (time);
create index process_envelope on sonar.process (envelope);
create index process_job on sonar.process (job, epoch);
create table sonar.process_gpu (
  time bigint not null, envelope bigint not null, slot int not null, ord int not null, item int not null, gpu int not null, idx bigint,
  util float8, memory bigint, memory_util float8
) partition by range (time);
create index process_gpu_envelope on sonar.process_gpu (envelope);
create table sonar.node_sample (
  time bigint not null, envelope bigint not null, boot bigint, boot_zone int, used_memory bigint, load1 float8, load5 float8, load15 float8,
  runnable bigint, existing bigint, cpus bigint[]
) partition by range (time);
create index node_sample_envelope on sonar.node_sample (envelope);
create table sonar.gpu_sample (
  time bigint not null, envelope bigint not null, item int not null, gpu int not null, idx bigint, failing bigint, fan bigint, mode text,
  performance bigint, memory bigint, ce_util bigint, memory_util bigint, temperature bigint, power bigint, power_limit bigint,
  ce_clock bigint, memory_clock bigint
) partition by range (time);
create index gpu_sample_envelope on sonar.gpu_sample (envelope);
create table sonar.disk_sample (
  time bigint not null, envelope bigint not null, item int not null, disk int not null, major bigint, minor bigint, stats bigint[]
) partition by range (time);
create index disk_sample_envelope on sonar.disk_sample (envelope);
create table sonar.job_event (
  time bigint not null, envelope bigint not null, ord int not null, job_id bigint not null, step text not null, content bigint not null
) partition by range (time);
create index job_event_envelope on sonar.job_event (envelope);

create table sonar.envelope_default partition of sonar.envelope default;
create table sonar.process_default partition of sonar.process default;
create table sonar.process_gpu_default partition of sonar.process_gpu default;
create table sonar.node_sample_default partition of sonar.node_sample default;
create table sonar.gpu_sample_default partition of sonar.gpu_sample default;
create table sonar.disk_sample_default partition of sonar.disk_sample default;
create table sonar.job_event_default partition of sonar.job_event default;

create table sonar.job (
  cluster int not null, job_id bigint not null, step text not null, state text, "user" text, account text, partition text, submit bigint,
  start bigint, "end" bigint, seen bigint not null, fields text not null, primary key (cluster, job_id, step)
);
create index job_submit on sonar.job (cluster, step, submit);
create table sonar.quarantine (
  id bigint generated always as identity primary key, received bigint not null, origin text not null, position text not null,
  problem text not null, raw bytea not null, sha256 bytea not null unique
);
create table sonar.link (
  cluster int not null, node int not null, job bigint not null, epoch bigint not null, pid bigint not null, start bigint not null,
  time bigint not null, workflow bigint not null, workflow_job bigint not null, run bigint not null, attempt bigint not null,
  slurm_job bigint, step text, primary key (cluster, node, job, epoch, pid, start)
);

create function sonar.uint64(stored bigint) returns numeric language sql immutable parallel safe
  return case when stored < 0 then stored::numeric + 18446744073709551616 else stored::numeric end;

create view sonar.processes as
  select p.time as unix_time, to_timestamp(p.time) as time, c.name as cluster, n.name as node, sonar.uint64(p.job) as job, sonar.uint64(p.epoch) as epoch,
    u.name as "user", coalesce(m.name, '') as cmd, sonar.uint64(coalesce(p.pid, 0)) as pid, sonar.uint64(coalesce(p.ppid, 0)) as ppid,
    1 + coalesce(p.rolledup, 0) as processes, coalesce(p.cpu_avg, 0) as cpu_avg, coalesce(p.cpu_util, 0) as cpu_util,
    coalesce(p.cpu_time, 0) as cpu_seconds, coalesce(p.rss, 0) as resident_kb, coalesce(p.vm, 0) as virtual_kb,
    1 + coalesce(p.threads, 0) as threads, coalesce(p.data_read, 0) as read_kb, coalesce(p.data_written, 0) as written_kb,
    coalesce(p.container, false) as in_container
  from sonar.process p join sonar.cluster c on c.id = p.cluster join sonar.node n on n.id = p.node join sonar."user" u on u.id = p."user"
  left join sonar.cmd m on m.id = p.cmd
  where p.ord is not null;
`,
  `
create table sonar.day (
  cluster int not null, day bigint not null, closed bigint, has_lost bool not null default false, primary key (cluster, day)
);
create index day_open on sonar.day (day) where closed is null;
insert into sonar.day (cluster, day)
  select distinct cluster, time / 86400 from sonar.envelope where type = 'sample' and node is not null and time >= 0;

create table sonar.job_hour (
  cluster int not null, time bigint not null, node int not null, job bigint not null, epoch bigint not null, "user" int not null, cmd int,
  first bigint not null, last bigint not null, samples int not null, processes float8 not null, cpu_seconds float8 not null,
  peak_cpu_percent float8 not null, memory_kb float8 not null, peak_memory_kb float8 not null, gpu_percent float8 not null,
  peak_gpu_memory_kb float8 not null, cards text not null, primary key (cluster, time, node, job, epoch, "user")
);
create index job_hour_job on sonar.job_hour (job, epoch);
create table sonar.node_hour (
  cluster int not null, time bigint not null, node int not null, first bigint not null, last bigint not null, boot bigint, samples int not null,
  cores int not null, cpu_percent float8 not null, used_memory_kb float8 not null, load1 float8 not null, cards int not null,
  gpu_percent float8, gpu_memory_kb float8 not null, primary key (cluster, time, node)
);
create index node_hour_node on sonar.node_hour (node, time);
`,
  `
create table sonar.node_day (like sonar.node_hour, primary key (cluster, time, node));
create table sonar.job_day (like sonar.job_hour);
create index job_day_time on sonar.job_day (cluster, time);
create index job_hour_other on sonar.job_hour (cluster, time) where epoch <> 0;
update sonar.day set closed = null where not has_lost;
`,
  `
alter table sonar.node_hour alter column cpu_percent drop not null;
alter table sonar.node_day alter column cpu_percent drop not null;
`,
  // Amounts above 2^63 were negative. The types of its columns are others: where views of a site stand on the view, it stays.
  `
do $do$ begin
  drop view sonar.processes;
  create view sonar.processes as
    select p.time as unix_time, to_timestamp(p.time) as time, c.name as cluster, n.name as node, sonar.uint64(p.job) as job, sonar.uint64(p.epoch) as epoch,
      u.name as "user", coalesce(m.name, '') as cmd, sonar.uint64(coalesce(p.pid, 0)) as pid, sonar.uint64(coalesce(p.ppid, 0)) as ppid,
      1 + coalesce(p.rolledup, 0) as processes, coalesce(p.cpu_avg, 0) as cpu_avg, coalesce(p.cpu_util, 0) as cpu_util,
      sonar.uint64(coalesce(p.cpu_time, 0)) as cpu_seconds, sonar.uint64(coalesce(p.rss, 0)) as resident_kb,
      sonar.uint64(coalesce(p.vm, 0)) as virtual_kb, 1 + sonar.uint64(coalesce(p.threads, 0)) as threads,
      sonar.uint64(coalesce(p.data_read, 0)) as read_kb, sonar.uint64(coalesce(p.data_written, 0)) as written_kb,
      coalesce(p.container, false) as in_container
    from sonar.process p join sonar.cluster c on c.id = p.cluster join sonar.node n on n.id = p.node join sonar."user" u on u.id = p."user"
    left join sonar.cmd m on m.id = p.cmd
    where p.ord is not null;
exception when dependent_objects_still_exist then null;
end $do$;
`,
];

/** The tables that have a partition for each day. */
export const dailyTables = [
  'envelope',
  'process',
  'process_gpu',
  'node_sample',
  'gpu_sample',
  'disk_sample',
  'job_event',
] as const;
