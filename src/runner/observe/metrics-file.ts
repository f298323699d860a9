import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';
import { makeFolder } from '../../cluster/make-folder.ts';
import type { MeasuredAttempt } from './watched.ts';
import type { JobMeasurement } from './watch.ts';
import type { NodeMeasurement, NodeSummary } from './node-watch.ts';

/**
 * The file of measurements over time, for plots and for users of SQLite. Names of tables and columns are those of Torc
 * 1.0.0; a timestamp is Unix seconds, a CPU of 100 is one core for jobs and the whole node for the system. Additions:
 * `timestamp_ms` of the samples, and `job_attempts` with the figures in the result of each sampled attempt.
 *
 * Samples are buffered and written in one transaction at an interval: a write for each would wake the disk of a
 * parallel file system for some dozen bytes. No write-ahead log, because it works on no network file system and leaves
 * files behind.
 */
export interface MetricsFile {
  readonly path: string;
  job(sample: JobMeasurement): void;
  node(sample: NodeMeasurement): void;
  /** An attempt ended; one that was never sampled is left out. */
  attempt(ended: MeasuredAttempt): void;
  /** Writes the buffered samples. */
  flush(): void;
  /** Writes the remaining samples, and the summary of the node if there is one. */
  close(summary?: NodeSummary): void;
}

export interface MetricsFileOptions {
  readonly path: string;
  /** It could not be written: buffered samples are kept and written again, up to a limit. */
  readonly onTrouble: (reason: string) => void;
}

const SCHEMA = `
  pragma journal_mode = delete;
  pragma synchronous = normal;
  pragma temp_store = memory;
  begin immediate;
  create table if not exists job_resource_samples (
    job_id integer not null,
    timestamp integer not null,
    cpu_percent real not null,
    memory_bytes integer not null,
    num_processes integer not null,
    timestamp_ms integer
  );
  create table if not exists job_attempts (
    job_id integer not null,
    attempt_id integer not null,
    started_ms integer not null,
    ended_ms integer not null,
    memory_limit_bytes integer,
    peak_memory_bytes integer,
    avg_memory_bytes integer,
    peak_cpu_percent real,
    avg_cpu_percent real,
    primary key (job_id, attempt_id)
  );
  create index if not exists job_resource_samples_job on job_resource_samples (job_id, timestamp);
  create table if not exists job_metadata (
    job_id integer primary key,
    job_name text not null
  );
  create table if not exists system_resource_samples (
    id integer primary key autoincrement,
    timestamp integer not null,
    cpu_percent real,
    memory_bytes integer,
    total_memory_bytes integer,
    timestamp_ms integer
  );
  create index if not exists system_resource_samples_timestamp on system_resource_samples (timestamp);
  create table if not exists system_resource_summary (
    id integer primary key check (id = 1),
    sample_count integer not null,
    peak_cpu_percent real,
    avg_cpu_percent real,
    peak_memory_bytes integer,
    avg_memory_bytes integer
  );
  commit;
`;

/** The number of buffered rows that are written at once: about 5 ms of work. */
const WRITE_AT = 2_000;
/** The number of buffered rows that are dropped when the disk stays full: 10 MB, a tenth of what a runner may use. */
const DROP_AT = 50_000;
/** How long a write waits for another program; jobs that end meanwhile wait too. */
const BUSY_MS = 100;
/** The first of this many failures is reported. */
const REPORT_EVERY = 100;

/** Opens the file, or creates it. Throws if neither is possible. */
export function openMetricsFile({ path, onTrouble }: MetricsFileOptions): MetricsFile {
  makeFolder(dirname(path));
  const db = new DatabaseSync(databaseFile(path), { timeout: BUSY_MS });
  db.exec(SCHEMA);
  addColumns(db);
  const addJob = db.prepare(
    'insert into job_resource_samples (job_id, timestamp, cpu_percent, memory_bytes, num_processes, timestamp_ms) values (?, ?, ?, ?, ?, ?)',
  );
  const addAttempt = db.prepare('insert or replace into job_attempts values (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const addName = db.prepare(
    'insert into job_metadata values (?, ?) on conflict do update set job_name = excluded.job_name',
  );
  const addNode = db.prepare(
    'insert into system_resource_samples (timestamp, cpu_percent, memory_bytes, total_memory_bytes, timestamp_ms) values (?, ?, ?, ?, ?)',
  );
  const setSummary = db.prepare('insert or replace into system_resource_summary values (1, ?, ?, ?, ?, ?)');
  let jobs: JobRow[] = [];
  let nodes: NodeMeasurement[] = [];
  let attempts: AttemptRow[] = [];
  let failures = 0;

  const rowCount = () => jobs.length + nodes.length + attempts.length;
  const write = (summary?: NodeSummary) => {
    if (rowCount() === 0 && summary === undefined) return;
    try {
      db.exec('begin');
      const names = new Map(jobs.map(({ id, name }) => [id, name]));
      for (const [id, name] of names) addName.run(id, name);
      for (const { id, atMs, cpuPercent, memoryBytes, processes } of jobs)
        addJob.run(id, seconds(atMs), cpuPercent, memoryBytes, processes, Math.round(atMs));
      for (const row of attempts) addAttempt.run(...row);
      for (const { atMs, cpuPercent, memoryBytes, totalMemoryBytes } of nodes)
        addNode.run(seconds(atMs), cpuPercent ?? null, memoryBytes ?? null, totalMemoryBytes, Math.round(atMs));
      if (summary !== undefined) setSummary.run(...summaryRow(summary));
      db.exec('commit');
      jobs = [];
      nodes = [];
      attempts = [];
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      failed((error as Error).message);
    }
  };

  const failed = (reason: string) => {
    const gathered = rowCount();
    if (gathered >= DROP_AT) {
      jobs = [];
      nodes = [];
      attempts = [];
      onTrouble(`${reason}; ${gathered} samples were dropped`);
    } else if (failures % REPORT_EVERY === 0) {
      onTrouble(reason);
    }
    failures += 1;
  };

  const gathered = () => {
    if (rowCount() % WRITE_AT === 0) write();
  };

  return {
    path,
    job({ job, ...seen }) {
      jobs.push({ id: job.id, name: job.name, ...seen });
      gathered();
    },
    node(sample) {
      nodes.push(sample);
      gathered();
    },
    attempt(ended) {
      if (ended.observed.samples === 0) return;
      attempts.push(attemptRow(ended));
      gathered();
    },
    flush: () => write(),
    close(summary) {
      write(summary);
      try {
        db.close();
      } catch (error) {
        failed((error as Error).message);
      }
    },
  };
}

/** A sample without the job itself, which may be large and would stay in memory until the next write. */
type JobRow = Omit<JobMeasurement, 'job'> & Readonly<Record<'id', number> & Record<'name', string>>;

type AttemptRow = ReturnType<typeof attemptRow>;

const attemptRow = ({ job, startedAtMs, seconds: ran, observed, measured }: MeasuredAttempt) =>
  [
    job.id,
    job.attempt_id,
    Math.round(startedAtMs),
    Math.round(startedAtMs + ran * 1000),
    observed.memoryLimitBytes ?? null,
    measured.peak_memory_bytes ?? null,
    measured.avg_memory_bytes ?? null,
    measured.peak_cpu_percent ?? null,
    measured.avg_cpu_percent ?? null,
  ] as const;

/** A file that an earlier version of the runner created lacks these columns. */
function addColumns(db: DatabaseSync): void {
  for (const table of ['job_resource_samples', 'system_resource_samples']) {
    const columns = db.prepare(`select name from pragma_table_info('${table}')`).all();
    if (!columns.some((column) => column['name'] === 'timestamp_ms'))
      db.exec(`alter table ${table} add column timestamp_ms integer`);
  }
}

const seconds = (ms: number) => Math.floor(ms / 1000);

const summaryRow = (summary: NodeSummary) =>
  [
    summary.sample_count ?? 0,
    summary.peak_cpu_percent ?? null,
    summary.avg_cpu_percent ?? null,
    summary.peak_memory_bytes ?? null,
    summary.avg_memory_bytes ?? null,
  ] as const;
