import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { JobSample } from '../watch.ts';
import type { NodeSample, NodeSummary } from './node-watch.ts';

/**
 * The file of measurements over time, for plots and for users of SQLite. Names of tables and columns are those of Torc
 * 1.0.0; a timestamp is Unix seconds, a CPU of 100 is one core for jobs and the whole node for the system.
 *
 * Samples are buffered and written in one transaction at an interval: a write for each would wake the disk of a
 * parallel file system for some dozen bytes. No write-ahead log, because it works on no network file system and leaves
 * files behind.
 */
export interface MetricsFile {
  readonly path: string;
  job(sample: JobSample): void;
  node(sample: NodeSample): void;
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
    num_processes integer not null
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
    total_memory_bytes integer
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
const TELL_EVERY = 100;

/** Opens the file, or creates it. Throws if neither is possible. */
export function openMetricsFile({ path, onTrouble }: MetricsFileOptions): MetricsFile {
  mkdirSync(dirname(path), { recursive: true });
  const db = new DatabaseSync(path, { timeout: BUSY_MS });
  db.exec(SCHEMA);
  const addJob = db.prepare('insert into job_resource_samples values (?, ?, ?, ?, ?)');
  const addName = db.prepare(
    'insert into job_metadata values (?, ?) on conflict do update set job_name = excluded.job_name',
  );
  const addNode = db.prepare(
    'insert into system_resource_samples (timestamp, cpu_percent, memory_bytes, total_memory_bytes) values (?, ?, ?, ?)',
  );
  const setSummary = db.prepare('insert or replace into system_resource_summary values (1, ?, ?, ?, ?, ?)');
  let jobs: JobRow[] = [];
  let nodes: NodeSample[] = [];
  let failures = 0;

  const write = (summary?: NodeSummary) => {
    if (jobs.length + nodes.length === 0 && summary === undefined) return;
    try {
      db.exec('begin');
      const names = new Map(jobs.map(({ id, name }) => [id, name]));
      for (const [id, name] of names) addName.run(id, name);
      for (const { id, atMs, cpuPercent, memoryBytes, processes } of jobs)
        addJob.run(id, seconds(atMs), cpuPercent, memoryBytes, processes);
      for (const { atMs, cpuPercent, memoryBytes, totalMemoryBytes } of nodes)
        addNode.run(seconds(atMs), cpuPercent ?? null, memoryBytes ?? null, totalMemoryBytes);
      if (summary !== undefined) setSummary.run(...summaryRow(summary));
      db.exec('commit');
      jobs = [];
      nodes = [];
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      failed((error as Error).message);
    }
  };

  const failed = (reason: string) => {
    const gathered = jobs.length + nodes.length;
    if (gathered >= DROP_AT) {
      jobs = [];
      nodes = [];
      onTrouble(`${reason}; ${gathered} samples were dropped`);
    } else if (failures % TELL_EVERY === 0) {
      onTrouble(reason);
    }
    failures += 1;
  };

  const gathered = () => {
    if ((jobs.length + nodes.length) % WRITE_AT === 0) write();
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
type JobRow = Omit<JobSample, 'job'> & Readonly<Record<'id', number> & Record<'name', string>>;

const seconds = (ms: number) => Math.floor(ms / 1000);

const summaryRow = (summary: NodeSummary) =>
  [
    summary.sample_count ?? 0,
    summary.peak_cpu_percent ?? null,
    summary.avg_cpu_percent ?? null,
    summary.peak_memory_bytes ?? null,
    summary.avg_memory_bytes ?? null,
  ] as const;
