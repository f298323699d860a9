import { metricsPath } from '../../core/contract/files/runner.ts';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import type { JobMeasurement } from './watch.ts';
import { openMetricsFile } from './metrics-file.ts';

const sample = (id: number, atMs: number): JobMeasurement => ({
  job: {
    id,
    attempt_id: 1,
    name: `job ${id}`,
    resource_requirements_id: 1,
    need: { num_cpus: 1, memory_bytes: 1, num_gpus: 0, num_nodes: 1, runtime_seconds: 1 },
  },
  atMs,
  cpuPercent: 50.5,
  memoryBytes: 2 ** 33,
  processes: 3,
});

const rowsOf = (path: string, sql: string) => {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    db.close();
  }
};

function fileIn(folder: string) {
  const troubles: string[] = [];
  const path = join(folder, 'resource_utilization/metrics.db');
  return { path, troubles, file: openMetricsFile({ path, onTrouble: (reason) => troubles.push(reason) }) };
}

describe('the metrics file', () => {
  it('a flush writes the buffered samples, and none twice', () => {
    const { path, file } = fileIn(temporaryFolder());
    file.job(sample(4, 1_700_000_000_900));
    file.node({ atMs: 1_700_000_001_000, cpuPercent: 10, memoryBytes: undefined, totalMemoryBytes: 100 });
    expect(rowsOf(path, 'select * from job_resource_samples')).toEqual([]);
    file.flush();
    file.flush();
    expect(rowsOf(path, 'select * from job_resource_samples')).toEqual([
      {
        job_id: 4,
        timestamp: 1_700_000_000,
        cpu_percent: 50.5,
        memory_bytes: 2 ** 33,
        num_processes: 3,
        timestamp_ms: 1_700_000_000_900,
      },
    ]);
    expect(rowsOf(path, 'select * from job_metadata')).toEqual([{ job_id: 4, job_name: 'job 4' }]);
    expect(rowsOf(path, 'select * from system_resource_samples')).toEqual([
      {
        id: 1,
        timestamp: 1_700_000_001,
        cpu_percent: 10,
        memory_bytes: null,
        total_memory_bytes: 100,
        timestamp_ms: 1_700_000_001_000,
      },
    ]);
    file.close();
  });

  it('closing writes the remaining samples and the summary of the node, also in row 1 when another run continues the file', () => {
    const folder = temporaryFolder();
    const summary = { sample_count: 2, peak_cpu_percent: 30, avg_cpu_percent: 20, peak_memory_bytes: 300 };
    for (const count of [1, 2]) {
      const { file } = fileIn(folder);
      file.job(sample(4, count * 1000));
      file.close({ ...summary, sample_count: count });
    }
    const { path, file } = fileIn(folder);
    file.close();
    expect(rowsOf(path, 'select * from system_resource_summary')).toEqual([
      { id: 1, ...summary, avg_memory_bytes: null },
    ]);
    expect(rowsOf(path, 'select timestamp from job_resource_samples')).toEqual([{ timestamp: 1 }, { timestamp: 2 }]);
    expect(rowsOf(path, 'pragma journal_mode')).toEqual([{ journal_mode: 'delete' }]);
  });

  it('an attempt that ended is stored with its limit and figures, unless it was never sampled', () => {
    const { path, file } = fileIn(temporaryFolder());
    const observed = { peakMemoryBytes: 1, averageMemoryBytes: 1, peakCpuPercent: 1, cpuSeconds: 1 };
    const measured = { peak_memory_bytes: 900, avg_memory_bytes: 600, peak_cpu_percent: 80.5, avg_cpu_percent: 40 };
    const ended = { startedAtMs: 1_000, seconds: 2.5, measured };
    const { job } = sample(4, 0);
    file.attempt({ ...ended, job, observed: { ...observed, samples: 3, memoryLimitBytes: 1000 } });
    file.attempt({ ...ended, job: { ...job, attempt_id: 2 }, observed: { ...observed, samples: 0 } });
    file.attempt({ ...ended, job: { ...job, attempt_id: 3 }, observed: { ...observed, samples: 1 }, measured: {} });
    file.close();
    expect(rowsOf(path, 'select * from job_attempts')).toEqual([
      { job_id: 4, attempt_id: 1, started_ms: 1000, ended_ms: 3500, memory_limit_bytes: 1000, ...measured },
      {
        job_id: 4,
        attempt_id: 3,
        started_ms: 1000,
        ended_ms: 3500,
        memory_limit_bytes: null,
        peak_memory_bytes: null,
        avg_memory_bytes: null,
        peak_cpu_percent: null,
        avg_cpu_percent: null,
      },
    ]);
  });

  it('a file of an earlier version gets the columns and the table that it lacks', () => {
    const folder = temporaryFolder();
    fileIn(folder).file.close();
    const path = join(folder, 'resource_utilization/metrics.db');
    const db = new DatabaseSync(path);
    db.exec(`drop table job_attempts;
      alter table job_resource_samples drop column timestamp_ms; alter table system_resource_samples drop column timestamp_ms;
      insert into job_resource_samples values (4, 7, 1, 2, 3)`);
    db.close();
    const { file } = fileIn(folder);
    file.job(sample(4, 8_500));
    file.close();
    expect(rowsOf(path, 'select timestamp, timestamp_ms from job_resource_samples')).toEqual([
      { timestamp: 7, timestamp_ms: null },
      { timestamp: 8, timestamp_ms: 8500 },
    ]);
  });

  it('many buffered samples are written early', () => {
    const { path, file } = fileIn(temporaryFolder());
    for (let index = 0; index < 2500; index += 1) file.job(sample(index, index));
    expect(rowsOf(path, 'select count(*) as rows from job_resource_samples')).toEqual([{ rows: 2000 }]);
    file.close();
  });

  it('samples that cannot be written are kept and reported once, and written later', () => {
    const { path, troubles, file } = fileIn(temporaryFolder());
    const other = new DatabaseSync(path);
    // Another program holds the file: it stands for any reason why a write fails, such as a full disk.
    other.exec('begin immediate');
    file.job(sample(4, 1000));
    file.flush();
    file.flush();
    expect(troubles).toEqual([expect.stringContaining('locked')]);
    other.exec('rollback');
    other.close();
    file.close();
    expect(rowsOf(path, 'select job_id from job_resource_samples')).toEqual([{ job_id: 4 }]);
  });

  it('the metrics file is refused where it cannot be created', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'resource_utilization'), 'in the way');
    expect(() => fileIn(folder)).toThrow(/EEXIST|ENOTDIR/);
    mkdirSync(join(folder, 'sub/resource_utilization'), { recursive: true });
    writeFileSync(join(folder, 'sub/resource_utilization/metrics.db'), 'no database at all, but a text of some length');
    expect(() => fileIn(join(folder, 'sub'))).toThrow('not a database');
    expect(existsSync(join(folder, 'sub/resource_utilization/metrics.db-journal'))).toBe(false);
  });
});

it('the metrics file is named after its runner', () => {
  expect(metricsPath('out', 'wf3_hn01_r2')).toBe('out/resource_utilization/resource_metrics_wf3_hn01_r2.db');
});
