import { linkSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/support/programs.ts';
import { registerNode, testService } from '../../../tests/support/service.ts';
import { openMetricsFile } from '../../runner/observe/metrics-file.ts';

const SAMPLED = { jobs: { enabled: true, granularity: 'time_series' as const } };
const START = Date.parse('2026-03-01T12:00:00Z');

/** A job whose runner has ended, with an output folder that has its file of measurements with so many samples, one a second. */
async function sampled(samples: number, config: object = SAMPLED, options: Parameters<typeof testService>[0] = {}) {
  const service = testService(options);
  const { client, store } = service;
  const { id } = await client.createWorkflow({ body: { name: 'w', user: 'u', resource_monitor_config: config } });
  const { id: jobId } = await client.createJob({ body: { workflow_id: id, name: 'work', command: 'true' } });
  const node = await registerNode(service, id);
  const folder = temporaryFolder();
  const ledger = join(folder, 'job_runner_ledger', 'wf1_r0_m.ledger');
  store.db.run(`
    update compute_node set process = '${JSON.stringify({ ledger })}', hostname = 'n1', scheduler = null where id = ${node};
    insert into result (job_id, workflow_id, run_id, attempt_id, compute_node_id, return_code, exec_time_minutes, completion_time, status)
    values (${jobId}, ${id}, 0, 1, ${node}, 0, 1, '2026-03-01T12:01:00Z', 5)`);
  const path = join(folder, 'resource_utilization', 'resource_metrics_wf1_hn1_r0.db');
  const file = openMetricsFile({
    path,
    onTrouble: (reason) => {
      throw new Error(reason);
    },
  });
  const job = { id: jobId, name: 'work', attempt_id: 1 } as never;
  for (let at = 0; at < samples; at += 1)
    file.job({ job, atMs: START + at * 1000, cpuPercent: at % 2 === 0 ? 100 : 200, memoryBytes: at + 1, processes: 2 });
  file.close();
  return { ...service, path, folder, jobId, ask: () => client.getJobSamples({ params: { id: jobId } }) };
}

const place = { job_id: 1, run_id: 0, attempt_id: 1, hostname: 'n1', interval_seconds: 10 };

describe('the samples of an attempt', () => {
  it('the samples of an attempt are those of the file of its runner', async () => {
    const { ask, path } = await sampled(3);
    expect(await ask()).toEqual({
      ...place,
      path,
      command: `torc plot-resources ${path} --job-ids 1`,
      samples: 3,
      at_ms: [START, START + 1000, START + 2000],
      cpu_percent: [100, 200, 100],
      memory_bytes: [1, 2, 3],
      num_processes: [2, 2, 2],
    });
  });

  it('more than 500 samples are 500 points with the mean CPU and the greatest memory', async () => {
    const { ask } = await sampled(50_000);
    const { samples, at_ms: times = [], cpu_percent: cpu, memory_bytes: memory } = await ask();
    expect([samples, times?.length]).toEqual([50_000, 500]);
    expect(new Set(cpu)).toEqual(new Set([150]));
    expect(memory?.at(-1)).toBe(50_000);
    expect(times?.every((at, index) => index === 0 || at > (times[index - 1] ?? 0))).toBe(true);
  });

  it('an attempt has the samples of its time, and one whose end is not in the file has those that no other attempt has', async () => {
    const { ask, path } = await sampled(100);
    const ended = (attempt: number, from: number, to: number) => {
      const db = new DatabaseSync(path);
      db.exec(`insert into job_attempts (job_id, attempt_id, started_ms, ended_ms)
        values (1, ${attempt}, ${START + from * 1000}, ${START + to * 1000})`);
      db.close();
    };
    ended(0, 0, 20);
    ended(2, 60, 90);
    expect(await ask()).toMatchObject({ samples: 41 });
    ended(1, 30, 39.5);
    expect(await ask()).toMatchObject({
      samples: 12,
      at_ms: Array.from({ length: 12 }, (_, at) => START + (29 + at) * 1000),
    });
  });

  it('a file of Torc 1.0.0, without attempts and with whole seconds, is read too', async () => {
    const { ask, path } = await sampled(0);
    rmSync(path);
    const db = new DatabaseSync(path);
    db.exec(`
      create table job_resource_samples (job_id integer, timestamp integer, cpu_percent real, memory_bytes integer, num_processes integer);
      insert into job_resource_samples values (1, ${START / 1000}, 50, 7, 1), (2, ${START / 1000}, 1, 1, 1)`);
    db.close();
    expect(await ask()).toMatchObject({ samples: 1, at_ms: [START], cpu_percent: [50], memory_bytes: [7] });
  });

  it('a job without samples has none, and a workflow that does not ask for them says how to', async () => {
    expect(await (await sampled(0)).ask()).toMatchObject({ samples: 0, at_ms: [] });
    const { ask } = await sampled(3, { jobs: { enabled: true, granularity: 'summary' } });
    const reply = await ask();
    expect(reply.reason).toContain('granularity: time_series');
    expect(reply).not.toHaveProperty('samples');
  });
});

describe('a file of measurements that is not read', () => {
  const refused = async (change: (path: string, folder: string) => void) => {
    const { ask, path, folder } = await sampled(3);
    change(path, folder);
    const reply = await ask();
    expect(reply).not.toHaveProperty('samples');
    expect(reply).toMatchObject({ hostname: 'n1', path });
    return reply.reason;
  };

  it('a file that is missing, a link, has several names, or is in a folder that is a link is not read', async () => {
    expect(await refused((path) => rmSync(path))).toBe('it is not on the host of the server');
    const moved = (path: string, folder: string) => {
      renameSync(path, join(folder, 'elsewhere.db'));
      return join(folder, 'elsewhere.db');
    };
    expect(await refused((path, folder) => symlinkSync(moved(path, folder), path))).toBe('it is a link');
    expect(await refused((path, folder) => linkSync(path, join(folder, 'other')))).toBe('the file has several names');
    const linked = (_: string, folder: string) => {
      renameSync(join(folder, 'resource_utilization'), join(folder, 'real'));
      symlinkSync(join(folder, 'real'), join(folder, 'resource_utilization'));
    };
    expect(await refused(linked)).toBe('the folder of the file is a link');
  });

  it('a file that is no database, a view in the place of the table, and a table without its columns are not read', async () => {
    expect(await refused((path) => writeFileSync(path, 'x'.repeat(10_000)))).toContain('it cannot be read');
    const without = (sql: string) => (path: string) => {
      rmSync(path);
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
    };
    const endless = `create view job_resource_samples as with recursive n (n) as (select 1 union all select n + 1 from n)
      select 1 as job_id, n as timestamp, 1 as cpu_percent, 1 as memory_bytes, 1 as num_processes from n`;
    expect(await refused(without(endless))).toBe('it cannot be read: it has no table of samples');
    expect(await refused(without('create table job_resource_samples (job_id)'))).toContain('no such column');
  });

  it('a server with access control reads no file, and names its place and the command', async () => {
    const login = { callerOf: () => ({ user: 'u' }), reload: () => 0, close: () => Promise.resolve() };
    const { ask, path } = await sampled(3, SAMPLED, { login, access: { enforce: true, administrators: [] } });
    expect(await ask()).toMatchObject({ path, reason: 'a server with access control reads no files of its users' });
  });

  it('a file that a killed runner left in the middle of a write is not read, and not changed', async () => {
    const { ask, path } = await sampled(2_000);
    const db = new DatabaseSync(path);
    db.exec('pragma cache_size = 1; begin; update job_resource_samples set memory_bytes = 0');
    const [inWrite, journal] = [readFileSync(path), readFileSync(`${path}-journal`)];
    db.exec('rollback');
    db.close();
    writeFileSync(path, inWrite);
    writeFileSync(`${path}-journal`, journal);
    const reply = await ask();
    expect(reply).not.toHaveProperty('samples');
    expect(reply.reason).toContain('it cannot be read');
    expect(readFileSync(path).equals(inWrite)).toBe(true);
  });
});
