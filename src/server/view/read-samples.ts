import { DatabaseSync } from 'node:sqlite';
import { databaseFile } from '../../cluster/database-file.ts';

/** Which samples of a file of measurements are read. */
export interface SampleQuestion {
  readonly path: string;
  readonly jobId: number;
  readonly attemptId: number;
  readonly mostPoints: number;
}

/** Samples of an attempt as columns. Of more than were asked for, each point is a part of the time: its mean CPU and greatest memory. */
export interface ReadSamples {
  readonly samples: number;
  readonly at_ms: number[];
  readonly cpu_percent: number[];
  readonly memory_bytes: number[];
  readonly num_processes: number[];
}

/** A runner writes for a few milliseconds; jobs that end meanwhile wait for the lock, too. */
const BUSY_MS = 500;
/** The first sample of an attempt and its start are of two clocks. */
const MARGIN_MS = 1_000;

/**
 * Reads the samples of an attempt from a file of measurements, which another program may write meanwhile.
 *
 * The file is the word of a user: tables alone are read, none of its views, triggers or functions.
 */
export function readSamples({ path, jobId, attemptId, mostPoints }: SampleQuestion): ReadSamples {
  const db = new DatabaseSync(databaseFile(path), { readOnly: true, timeout: BUSY_MS });
  try {
    db.exec('pragma trusted_schema = off; pragma cell_size_check = on');
    const isTable = (name: string) =>
      db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
    const hasColumn = (table: string, column: string) =>
      db.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column) !== undefined;
    if (!isTable('job_resource_samples')) throw new Error('it has no table of samples');
    const { fromMs, toMs } = isTable('job_attempts') ? spanOf(db, jobId, attemptId) : { fromMs: 0, toMs: LAST_MS };
    // Files of earlier versions have whole seconds only.
    const time = hasColumn('job_resource_samples', 'timestamp_ms')
      ? 'coalesce(timestamp_ms, timestamp * 1000)'
      : 'timestamp * 1000';
    const rows = db
      .prepare(
        `with
          sample as (
            select cast(${time} as integer) as at_ms, cpu_percent, memory_bytes, num_processes from job_resource_samples
            where job_id = :jobId and timestamp between cast(:fromMs / 1000 as integer) and :toMs / 1000 and ${time} between :fromMs and :toMs),
          whole as (select min(at_ms) as first_ms, max(at_ms) as last_ms, count(*) as samples from sample)
        select samples, min(at_ms) as at_ms, cast(avg(cpu_percent) as real) as cpu_percent,
          cast(max(memory_bytes) as integer) as memory_bytes, cast(max(num_processes) as integer) as num_processes
        from sample, whole
        group by iif(samples <= :most, at_ms, cast((at_ms - first_ms) * :most / (last_ms - first_ms + 1) as integer))
        order by 2`,
      )
      .all({ jobId, fromMs, toMs, most: mostPoints }) as unknown as Row[];
    const column = (name: keyof Row) => rows.map((row) => row[name]);
    return {
      samples: rows[0]?.samples ?? 0,
      at_ms: column('at_ms'),
      cpu_percent: column('cpu_percent').map((percent) => Math.round(percent * 10) / 10),
      memory_bytes: column('memory_bytes'),
      num_processes: column('num_processes'),
    };
  } finally {
    db.close();
  }
}

type Row = Readonly<Record<'samples' | keyof Omit<ReadSamples, 'samples'>, number>>;

const LAST_MS = 8.64e15;

/** The time of an attempt: its own, or what no other attempt of the job has, as of one that runs or whose runner was lost. */
function spanOf(db: DatabaseSync, jobId: number, attemptId: number): { fromMs: number; toMs: number } {
  const ended = db
    .prepare('select attempt_id as attempt, started_ms, ended_ms from job_attempts where job_id = ? order by 1')
    .all(jobId) as unknown as { attempt: number; started_ms: number; ended_ms: number }[];
  const own = ended.find(({ attempt }) => attempt === attemptId);
  if (own !== undefined) return { fromMs: own.started_ms - MARGIN_MS, toMs: own.ended_ms + MARGIN_MS };
  return {
    fromMs: ended.findLast(({ attempt }) => attempt < attemptId)?.ended_ms ?? 0,
    toMs: ended.find(({ attempt }) => attempt > attemptId)?.started_ms ?? LAST_MS,
  };
}
