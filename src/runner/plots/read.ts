import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';

/** An attempt that ended, with the figures of its result. Times are Unix seconds; what was not measured is null. */
export interface AttemptFigures {
  readonly job_id: number;
  readonly attempt_id: number;
  readonly started: number;
  readonly ended: number;
  readonly memory_limit_bytes: number | null;
  readonly peak_memory_bytes: number | null;
  readonly avg_memory_bytes: number | null;
  readonly peak_cpu_percent: number | null;
  readonly avg_cpu_percent: number | null;
}

/** What was seen of a job over time, in the order of time. Timestamps are Unix seconds, a CPU of 100 is one core. */
export interface JobSeries {
  readonly job_id: number;
  readonly job_name: string;
  readonly timestamps: number[];
  readonly cpu_percent: number[];
  readonly memory_bytes: number[];
  readonly num_processes: number[];
  /** In the order of time. Files of earlier versions have none. */
  readonly attempts: readonly AttemptFigures[];
}

/** The samples of a node. A CPU of 100 is the whole node; values that were not measured are null. */
export interface SystemSeries {
  /** The file that it was read from, without its folder. */
  readonly database: string;
  readonly timestamps: number[];
  readonly cpu_percent: (number | null)[];
  readonly memory_bytes: (number | null)[];
  readonly total_memory_bytes: (number | null)[];
}

export interface PlottedSeries {
  readonly jobs: readonly JobSeries[];
  readonly systems: readonly SystemSeries[];
}

/** A file without measurements: the path and the reason. */
export class NoMetrics extends Error {}

/**
 * Reads files of measurements. A job in several of them, because it ran again elsewhere, is one series.
 *
 * Throws `NoMetrics` if a file is missing or of another kind.
 */
export function readMetrics(paths: readonly string[], jobIds?: ReadonlySet<number>): PlottedSeries {
  const jobs = new Map<number, JobRow[]>();
  const names = new Map<number, string>();
  const attempts = new Map<number, AttemptFigures[]>();
  const systems: SystemSeries[] = [];
  for (const path of paths) {
    const rows = readFile(path);
    for (const { job_id: id, job_name: name } of rows.names) names.set(id, name);
    for (const row of rows.jobs) {
      if (jobIds?.has(row.job_id) === false) continue;
      const known = jobs.get(row.job_id);
      if (known === undefined) jobs.set(row.job_id, [row]);
      else known.push(row);
    }
    for (const row of rows.attempts) {
      const known = attempts.get(row.job_id);
      if (known === undefined) attempts.set(row.job_id, [row]);
      else known.push(row);
    }
    if (rows.nodes.length > 0) systems.push(systemSeries(basename(path), rows.nodes));
  }
  const series = [...jobs]
    .sort(([left], [right]) => left - right)
    .map(([id, rows]) => jobSeries(id, names, rows, attempts.get(id) ?? []));
  return { jobs: series, systems };
}

interface JobRow {
  readonly job_id: number;
  readonly timestamp: number;
  readonly cpu_percent: number;
  readonly memory_bytes: number;
  readonly num_processes: number;
}

interface NodeRow {
  readonly timestamp: number;
  readonly cpu_percent: number | null;
  readonly memory_bytes: number | null;
  readonly total_memory_bytes: number | null;
}

interface Rows {
  readonly jobs: JobRow[];
  readonly names: { readonly job_id: number; readonly job_name: string }[];
  readonly nodes: NodeRow[];
  readonly attempts: AttemptFigures[];
}

function readFile(path: string): Rows {
  if (!existsSync(path)) throw new NoMetrics(`${path} does not exist`);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(databaseFile(path), { readOnly: true, timeout: 5_000 });
    const rows = <Row>(sql: string) => db?.prepare(sql).all() as Row[];
    const has = (table: string, column: string) =>
      rows(`select 1 from pragma_table_info('${table}') where name = '${column}'`).length > 0;
    // Files of earlier versions have whole seconds only.
    const time = (table: string) =>
      has(table, 'timestamp_ms') ? 'coalesce(timestamp_ms / 1000.0, timestamp) as timestamp' : 'timestamp';
    return {
      jobs: rows(
        `select job_id, ${time('job_resource_samples')}, cpu_percent, memory_bytes, num_processes from job_resource_samples`,
      ),
      attempts: has('job_attempts', 'job_id')
        ? rows(
            `select job_id, attempt_id, started_ms / 1000.0 as started, ended_ms / 1000.0 as ended, memory_limit_bytes, peak_memory_bytes,
               avg_memory_bytes, peak_cpu_percent, avg_cpu_percent
             from job_attempts`,
          )
        : [],
      names: rows('select job_id, job_name from job_metadata'),
      nodes: rows(
        `select ${time('system_resource_samples')}, cpu_percent, memory_bytes, total_memory_bytes
         from system_resource_samples order by 1, id`,
      ),
    };
  } catch (cause) {
    throw new NoMetrics(`${path} cannot be read as a file of measurements: ${(cause as Error).message}`, { cause });
  } finally {
    db?.close();
  }
}

function jobSeries(
  id: number,
  names: ReadonlyMap<number, string>,
  rows: JobRow[],
  attempts: readonly AttemptFigures[],
): JobSeries {
  rows.sort((left, right) => left.timestamp - right.timestamp);
  return {
    job_id: id,
    job_name: names.get(id) ?? `job ${id}`,
    timestamps: rows.map(({ timestamp }) => timestamp),
    cpu_percent: rows.map(({ cpu_percent: cpu }) => cpu),
    memory_bytes: rows.map(({ memory_bytes: memory }) => memory),
    num_processes: rows.map(({ num_processes: processes }) => processes),
    attempts: attempts.toSorted((left, right) => left.started - right.started),
  };
}

const systemSeries = (database: string, rows: readonly NodeRow[]): SystemSeries => ({
  database,
  timestamps: rows.map(({ timestamp }) => timestamp),
  cpu_percent: rows.map(({ cpu_percent: cpu }) => cpu),
  memory_bytes: rows.map(({ memory_bytes: memory }) => memory),
  total_memory_bytes: rows.map(({ total_memory_bytes: total }) => total),
});
