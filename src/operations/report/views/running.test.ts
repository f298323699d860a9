import { expect, it } from 'vitest';
import { cpuText, elapsedText, memoryOfLimitText, type RunningRow, runningRows } from './running.ts';

const row: RunningRow = {
  job_id: 1,
  job_name: 'train',
  hostname: 'n1',
  elapsed_seconds: 62,
  runtime_seconds: 600,
  cpu_percent: 94,
  num_cpus: 2,
  memory_bytes: 394 * 1024 ** 2,
  memory_limit_bytes: 2 * 1024 ** 3,
};

it('a running job has its time, CPUs and memory beside what it asked for', () => {
  expect([elapsedText(row), cpuText(row), memoryOfLimitText(row)]).toEqual([
    '1m 02s of 10m 00s',
    '0.9 of 2',
    '394 MiB of 2 GiB',
  ]);
});

it('a job on another machine has only what it asked for, and a job without known requirements only what it uses', () => {
  const far = { ...row, cpu_percent: undefined, memory_bytes: undefined };
  expect([cpuText(far), memoryOfLimitText(far)]).toEqual(['– of 2', '– of 2 GiB']);
  const free = { ...row, num_cpus: undefined, memory_limit_bytes: undefined, runtime_seconds: undefined };
  expect([elapsedText(free), cpuText(free), memoryOfLimitText(free)]).toEqual(['1m 02s', '0.9', '394 MiB']);
});

it('the job that has run longest stands first, and a start in the future counts as now', () => {
  const job = (id: number, start: string) => ({
    id,
    workflow_id: 1,
    name: `j${id}`,
    command: 'true',
    start_time: start,
  });
  const rows = runningRows({
    nowMs: Date.parse('2026-01-01T00:01:00Z'),
    running: [job(1, '2026-01-01T00:00:50Z'), job(2, '2026-01-01T00:00:10Z'), job(3, '2026-01-01T00:02:00Z')],
    requirements: new Map(),
    nodes: new Map(),
    uses: new Map(),
  });
  expect(rows.map(({ job_id: id, elapsed_seconds: seconds }) => [id, seconds])).toEqual([
    [2, 50],
    [1, 10],
    [3, 0],
  ]);
});
