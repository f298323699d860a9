import { describe, expect, it, test } from 'vitest';
import type { ComputeNode } from '../../contract/node.ts';
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
  time: { leftSeconds: 3600, usableSeconds: 3510, claimableSeconds: 3720 },
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
      'runs longer than what the runner takes now',
      kind({ runtime_seconds: 3721 }),
      'time',
      '1h 02m',
      '1h 00m left, 58m 30s of it for jobs',
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
    expect(obstacles(kind({ runtime_seconds: 1e9 }), { ...room, time: undefined })).toEqual([]);
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
    expect(
      unclaimableWords({ ...one, reason: 'time', needs: '2h', has: 'a walltime of 01:00:00', scheduler: 's' }),
    ).toBe(
      '1 ready job needs more time than an allocation has: wide (job 7) needs 2h, scheduler s asks for a walltime of 01:00:00',
    );
    const many = unclaimableWords({ ...one, reason: 'labels', jobs: 2, job_name: 'x'.repeat(4096) });
    expect(many).toMatch(/^2 ready jobs want other labels than the runner has: x+… \(job 7\)/);
    expect(many.length).toBeLessThan(200);
  });
});

describe('the resources of a runner', () => {
  const START_MS = 1_772_366_400_000;
  const node: ComputeNode = {
    id: 1,
    workflow_id: 1,
    hostname: 'h',
    pid: 1,
    start_time: '2026-03-01T12:00:00Z',
    end_time: '2026-03-01T13:00:00Z',
    is_active: true,
    num_cpus: 4,
    memory_gb: 8,
    num_gpus: 1,
    num_nodes: 1,
    compute_node_type: 'local',
  };
  const at = (minutes: number, execution = {}) => ({ execution, nowMs: START_MS + minutes * 60_000 });

  it('the resources of a runner are those that it registered', () => {
    expect(roomOfNode(node, at(0))).toEqual(room);
    const process = { boot_id: 'b', pid_namespace: 'n', start_ticks: 1, mark: 'm', ledger: 'l' };
    expect(roomOfNode({ ...node, process: { ...process, max_parallel_jobs: 3 } }, at(0)).countsJobs).toBe(true);
    expect(roomOfNode({ ...node, process: { ...process, strict_scheduler_match: true } }, at(0)).isStrict).toBe(true);
    expect(roomOfNode({ ...node, end_time: 'soon' }, at(0)).time).toBeUndefined();
  });

  it('the time of a runner is what its jobs can use: steps of Slurm need a minute before the headroom', () => {
    const steps = { mode: 'auto' } as const;
    const inSlurm = { ...node, compute_node_type: 'slurm' };
    expect(roomOfNode(inSlurm, at(58.5, steps)).time).toMatchObject({ usableSeconds: 0, claimableSeconds: 0 });
    expect(obstacles(kind({ runtime_seconds: 1 }), roomOfNode(inSlurm, at(58.5, steps)))).toEqual([
      { reason: 'time', needs: '1.0s', has: '1m 30s left, too little to start a job' },
    ]);
    expect(roomOfNode(inSlurm, at(57, steps)).time).toMatchObject({ usableSeconds: 120, claimableSeconds: 124 });
    // Outside of an allocation jobs are processes.
    expect(roomOfNode(node, at(58, steps)).time).toMatchObject({ usableSeconds: 30, claimableSeconds: 31 });
  });

  it.each([
    [600, '2026-03-01T12:10:00Z', '2026-03-01T13:10:00Z'],
    [-600, '2026-03-01T11:50:00Z', '2026-03-01T12:50:00Z'],
  ])('a runner whose clock is %i s ahead of that of the server has the time that it has', (ahead, start, end) => {
    const process = { boot_id: 'b', pid_namespace: 'n', start_ticks: 1, mark: 'm', ledger: 'l' };
    const apart = {
      ...node,
      start_time: start,
      end_time: end,
      process: { ...process, clock_ahead_seconds: ahead },
    };
    for (const minutes of [0, 30, 58])
      expect(roomOfNode(apart, at(minutes)).time).toEqual(roomOfNode(node, at(minutes)).time);
  });

  it('a runner that has left counts as it was at its start: the next one begins with as much', () => {
    expect(roomOfNode({ ...node, is_active: false }, at(600)).time).toEqual(room.time);
    expect(roomOfNode(node, at(600)).time?.claimableSeconds).toBe(0);
  });
});
