import { describe, expect, it, test } from 'vitest';
import { obstacles, type RunnerRoom, roomOfNode } from './obstacles.ts';
import { type ReadyKind, unclaimable, unclaimableWords } from './unclaimable.ts';

const GIBIBYTE = 2 ** 30;
const room: RunnerRoom = {
  labels: [],
  schedulerId: null,
  isStrict: false,
  countsJobs: false,
  cpus: 4,
  memoryBytes: 8 * GIBIBYTE,
  gpus: 1,
  nodes: 1,
  secondsLeft: 3600,
};
const need = { num_cpus: 4, memory_bytes: 8 * GIBIBYTE, num_gpus: 1, num_nodes: 1, runtime_seconds: 3600 };
const kind = (over: Partial<typeof need> = {}, more: Partial<ReadyKind> = {}): ReadyKind => ({
  labels: [],
  schedulerId: null,
  jobs: 1,
  exampleId: 7,
  exampleName: 'wide',
  ...more,
  need: { ...need, ...over },
});

describe('a runner cannot take a job that', () => {
  test.each([
    ['needs more CPUs', kind({ num_cpus: 5 }), 'cpus', '5 CPUs', '4 CPUs'],
    [
      'needs one byte more memory than the runner has',
      kind({ memory_bytes: 8 * GIBIBYTE + 1 }),
      'memory',
      '8589934593 B',
      '8589934592 B',
    ],
    ['needs more GPUs', kind({ num_gpus: 2 }), 'gpus', '2 GPUs', '1 GPU'],
    ['needs several nodes', kind({ num_nodes: 2 }), 'nodes', '2 nodes', '1 node'],
    [
      'runs longer than the remaining time and the grace period of two minutes',
      kind({ runtime_seconds: 3721 }),
      'time',
      '1h 02m',
      '1h 00m left',
    ],
    ['requires a label', kind({}, { labels: ['gpu'] }), 'labels', 'label gpu', 'no label'],
  ])('a runner cannot take a job that %s', (_, job, reason, needs, has) => {
    expect(obstacles(job, room)).toEqual([{ reason, needs, has }]);
  });

  it('a runner with labels cannot take a job without labels', () => {
    expect(obstacles(kind(), { ...room, labels: ['gpu', 'fast'] })).toEqual([
      { reason: 'labels', needs: 'no label', has: 'labels gpu, fast' },
    ]);
  });

  it('a strict runner cannot take a job of another scheduler, but other runners take it when no other job is ready', () => {
    const foreign = kind({}, { schedulerId: 3 });
    expect(obstacles(foreign, { ...room, isStrict: true })).toEqual([
      { reason: 'scheduler', needs: 'scheduler 3', has: 'none' },
    ]);
    expect(obstacles(foreign, { ...room, isStrict: true, schedulerId: 3 })).toEqual([]);
    expect(obstacles(foreign, room)).toEqual([]);
  });

  it('a runner can take a job that fits exactly, and without a time limit a job of any length', () => {
    expect(obstacles(kind({ runtime_seconds: 3720 }), room)).toEqual([]);
    expect(obstacles(kind({ runtime_seconds: 1e9 }), { ...room, secondsLeft: undefined })).toEqual([]);
  });

  it('a runner that counts jobs ignores their requirements', () => {
    const all = { num_cpus: 99, memory_bytes: 1e15, num_gpus: 9, num_nodes: 9, runtime_seconds: 1e9 };
    expect(obstacles(kind(all), { ...room, countsJobs: true })).toEqual([]);
    expect(obstacles(kind(all, { labels: ['x'] }), { ...room, countsJobs: true })).toHaveLength(1);
  });
});

describe('ready jobs that no runner can take', () => {
  it('unclaimable jobs are counted by reason, the most frequent first, each job once, with an example', () => {
    const kinds = [
      kind({ num_cpus: 9, num_gpus: 9 }, { jobs: 3, exampleId: 1, exampleName: 'a' }),
      kind({ num_cpus: 5 }, { jobs: 4, exampleId: 2, exampleName: 'b' }),
      kind({}, { jobs: 20, labels: ['x'], exampleId: 3, exampleName: 'c' }),
      kind({}, { jobs: 100 }),
    ];
    expect(unclaimable(kinds, [room])).toEqual([
      { reason: 'labels', jobs: 20, job_id: 3, job_name: 'c', needs: 'label x', has: 'no label' },
      { reason: 'cpus', jobs: 7, job_id: 1, job_name: 'a', needs: '9 CPUs', has: '4 CPUs' },
    ]);
  });

  it('with several runners, jobs are unclaimable if none can take them, and the reason refers to the nearest runner', () => {
    const wide = { ...room, cpus: 64, memoryBytes: GIBIBYTE };
    const large = { ...room, cpus: 1, memoryBytes: 64 * GIBIBYTE, gpus: 0 };
    expect(unclaimable([kind({ num_cpus: 8, memory_bytes: 2 * GIBIBYTE })], [large, wide])).toMatchObject([
      { reason: 'memory', needs: '2 GiB', has: '1 GiB' },
    ]);
    expect(unclaimable([kind()], [large, room])).toEqual([]);
  });

  it('nothing is unclaimable without a runner to compare with, or without jobs', () => {
    expect(unclaimable([kind({ num_cpus: 99 })], [])).toEqual([]);
    expect(unclaimable([kind({ num_cpus: 99 }, { jobs: 0 })], [room])).toEqual([]);
  });

  it('unclaimable jobs are described in a sentence that shortens very long names', () => {
    const one = { reason: 'cpus', jobs: 1, job_id: 7, job_name: 'wide', needs: '9 CPUs', has: '4 CPUs' } as const;
    expect(unclaimableWords(one)).toBe(
      '1 ready job needs more CPUs than the runner has: wide (job 7) needs 9 CPUs, it has 4 CPUs',
    );
    const many = unclaimableWords({ ...one, reason: 'labels', jobs: 2, job_name: 'x'.repeat(4096) });
    expect(many).toMatch(/^2 ready jobs want other labels than the runner has: x+… \(job 7\)/);
    expect(many.length).toBeLessThan(200);
  });
});

it('the resources of a runner are those that it registered', () => {
  const node = {
    workflow_id: 1,
    hostname: 'h',
    pid: 1,
    start_time: '2026-03-01T12:00:00Z',
    num_cpus: 4,
    memory_gb: 8,
    num_gpus: 1,
    num_nodes: 1,
    compute_node_type: 'local',
  };
  expect(roomOfNode(node, 3600)).toEqual(room);
  const process = { boot_id: 'b', pid_namespace: 'n', start_ticks: 1, mark: 'm', ledger: 'l' };
  expect(roomOfNode({ ...node, process: { ...process, max_parallel_jobs: 3 } }, 1).countsJobs).toBe(true);
  expect(roomOfNode({ ...node, process: { ...process, strict_scheduler_match: true } }, 1).isStrict).toBe(true);
});
