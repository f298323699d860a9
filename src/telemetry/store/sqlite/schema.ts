import { type ColumnKind, laterColumns, type PlacedColumn, type SampleTableName, sampleTables } from '../tables.ts';

/**
 * The tables of the embedded store. Those of samples follow from `store/tables.ts`.
 *
 * Names, users, commands and cards are numbers of dictionaries. `envelope` is the ledger: the hash of the attributes of
 * a message is unique for a cluster and a type, so a message that arrives again changes nothing. Rows refer to their envelope
 * and have no other key; its cluster, node and time are theirs.
 *
 * Unsigned integers of 64 bits are stored as signed ones. A percentage is stored in thousandths, as an integer, where that
 * is exact: eight bytes become two.
 */
export const STORE_VERSION = 3;

const types: Readonly<Record<ColumnKind, string>> = {
  uint: 'integer',
  int: 'integer',
  float: 'any',
  flag: 'integer',
  text: 'text',
  uints: 'blob',
  seconds: 'integer',
  zone: 'integer',
  name: 'integer',
};

function sampleTable(name: SampleTableName): string {
  const { keys, columns } = sampleTables[name];
  const places = ['envelope', ...keys];
  const definitions = [
    ...places.map((place) => `${place} integer`),
    ...columns.map(({ column, kind }) => `${column} ${types[kind]}`),
    `primary key (${places.join(', ')})`,
  ];
  return `create table ${name} (${definitions.join(', ')}) strict${keys.length === 0 ? '' : ', without rowid'};`;
}

const FIRST = `
create table cluster (id integer primary key, name text not null unique, added integer not null, token_sha256 blob) strict;
create table node (id integer primary key, cluster integer not null, name text not null, short text not null, unique (cluster, name)) strict;
create index node_short on node (cluster, short);
create table user (id integer primary key, name text not null unique) strict;
create table cmd (id integer primary key, name text not null unique) strict;
create table gpu (id integer primary key, name text not null unique) strict;
create table disk (id integer primary key, name text not null unique) strict;
create table source (id integer primary key, name text not null unique) strict;
create table content (id integer primary key, sha256 blob not null unique, text text not null) strict;

create table envelope (
  id integer primary key,
  cluster integer not null,
  type text not null,
  sha256 blob not null,
  node integer,
  time integer not null,
  zone integer not null,
  source integer not null,
  received integer not null,
  content integer,
  unique (cluster, type, sha256)
) strict;
create index envelope_time on envelope (cluster, type, time);
create index envelope_node on envelope (node, type, time);

create table sample_job (envelope integer, slot integer, job integer, epoch integer, user integer, primary key (envelope, slot)) strict, without rowid;
create index sample_job_job on sample_job (job, epoch);
${sampleTable('process')}
${sampleTable('process_gpu')}
${sampleTable('node_sample')}
${sampleTable('gpu_sample')}
create index gpu_sample_gpu on gpu_sample (gpu, envelope);
${sampleTable('disk_sample')}

create table topology (envelope integer primary key, svg integer, text integer) strict;
create table job (
  cluster integer, job_id integer, step text, state text, user text, account text, partition text, submit integer,
  start integer, "end" integer, seen integer, fields text not null, primary key (cluster, job_id, step)
) strict, without rowid;
create index job_submit on job (cluster, step, submit);
create table job_event (
  envelope integer, ord integer, job_id integer, step text, content integer, primary key (envelope, ord)
) strict, without rowid;
create table extra (envelope integer primary key, members text not null) strict;
create table quarantine (
  id integer primary key, received integer not null, origin text not null, position text not null, problem text not null,
  raw blob not null, sha256 blob not null unique
) strict;
create table link (
  cluster integer, node integer, job integer, epoch integer, pid integer, start integer, time integer,
  workflow integer, workflow_job integer, run integer, attempt integer, slurm_job integer, step text,
  primary key (cluster, node, job, epoch, pid, start)
) strict, without rowid;
`;

/**
 * Version 2: closed days (`archive/`). `closed_day` says which files of a day are valid; `archived` is the ledger of their
 * envelopes, the first 16 bytes of each hash; rows of envelopes in `leftover` are deleted in slices.
 */
const CLOSED_DAYS = `
create table closed_day (
  cluster integer, day integer, part integer not null, has_samples integer not null, last_id integer not null,
  samples integer not null, bytes integer not null, closed integer not null, primary key (cluster, day)
) strict, without rowid;
create table archived (cluster integer, day integer, sha256 blob, primary key (cluster, day, sha256)) strict, without rowid;
create table newest_archived (node integer primary key, time integer not null) strict;
create table leftover (envelope integer primary key) strict;
`;

/** Version 3: `job_sums`, what the many processes of a job were at a sample. Entries that were stored before have none. */
const JOB_SUMS = `
create table job_sums (envelope integer, slot integer, rss integer not null, cpu_avg real not null, counters blob not null, primary key (envelope, slot)) strict, without rowid;
`;

export const SCHEMA = `${FIRST}${CLOSED_DAYS}${JOB_SUMS}`;

/** What makes a store of a version one of the next version. */
export const UPGRADES: Readonly<Record<number, string>> = { 1: CLOSED_DAYS, 2: JOB_SUMS };

/** What adds the columns that a store of an earlier release is without. */
export const additions = (
  has: (table: string, column: string) => boolean,
  later: readonly PlacedColumn[] = laterColumns,
): string =>
  later
    .filter(({ table, column }) => !has(table, column))
    .map(({ table, column, kind }) => `alter table ${table} add column ${column} ${types[kind]};`)
    .join('\n');
