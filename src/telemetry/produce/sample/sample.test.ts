import { expect, it, test } from 'vitest';
import type { GpuUse } from '../../../cluster/gpu/gpu.ts';
import type { DetailedProcess } from '../../../cluster/host/process-details.ts';
import { encodeAttributes } from '../../../core/contract/sonar/encode.ts';
import { attributesOfSample } from './attributes.ts';
import { isWanted, NO_FILTERS, type SampleFilters } from './filters.ts';
import { type ProcessRecord, sampleRecords } from './records.ts';
import { createRollUpIds, rollUp } from './roll-up.ts';

const process = (pid: number, changed: Partial<DetailedProcess> = {}): DetailedProcess => ({
  pid,
  parentPid: 1,
  groupId: 70,
  sessionId: 70,
  state: 'S',
  name: 'python3',
  threads: 4,
  startTicks: 1e3,
  cpuSeconds: 5,
  waitedCpuSeconds: 2.6,
  residentBytes: 5e6,
  userId: 5001,
  slurm: undefined,
  privateBytes: 4000001,
  dataBytes: 8192,
  readBytes: 1,
  writtenBytes: 1024,
  cancelledBytes: 0,
  ...changed,
});

const recordsFrom = (processes: readonly DetailedProcess[], gpuUses: readonly GpuUse[] = [], isPartial = false) =>
  sampleRecords(processes, {
    uptimeSeconds: 110,
    utilOf: ({ pid }) => (pid === 7 ? 99.5 : undefined),
    nameOf: (id) => (id === 5001 ? 'ann' : undefined),
    gpuUses,
    isPartial,
  });

/** The process beside what it belongs to. */
const flat = ({ process: own, ...about }: ProcessRecord) => ({ ...about, ...own });

const slurm = { jobId: 42, step: '0' };
const use = (pid: number, changed: Partial<GpuUse> = {}): GpuUse => ({
  pid,
  index: 0,
  uuid: 'GPU-1',
  computePercent: 50,
  memoryKilobytes: 100,
  memoryPercent: 10,
  ...changed,
});
const wholeSample = (records: readonly ProcessRecord[]) => {
  const origin = { cluster: 'c', node: 'n' };
  const attributes = attributesOfSample({ origin, atMs: 0, epoch: 99, records, node: undefined, problems: [] });
  return JSON.parse(encodeAttributes('sample', attributes)) as {
    jobs: { job: number; user: string; epoch?: number; processes: Record<string, unknown>[] }[];
  };
};

it('a process that began in the future, by a clock of its container, used no more than all CPUs can', () => {
  const [record] = sampleRecords([process(8, { startTicks: 1_000_000, cpuSeconds: 3600 })], {
    uptimeSeconds: 5,
    cpus: 2,
    utilOf: () => undefined,
    nameOf: () => 'ann',
    gpuUses: [],
  });
  expect(record?.process).toMatchObject({ cpu_avg: 200, cpu_util: 200 });
});

it('a record has the times, sizes and names that the format asks for', () => {
  const [record] = recordsFrom([process(7)]).map(flat);
  expect(record).toMatchObject({
    job: 70,
    isSlurm: false,
    user: 'ann',
    cmd: 'python3',
    num_threads: 3,
    cpu_time: 8,
    cpu_avg: 5,
    cpu_util: 99.5,
    resident_memory: 3907,
    virtual_memory: 8,
    data_read: 1,
    data_written: 1,
    data_cancelled: 0,
  });
});

it('a process that was not in the previous sample has its average as its present use', () => {
  expect(recordsFrom([process(8)])[0]?.process).toMatchObject({ cpu_avg: 5, cpu_util: 5 });
});

it('a zombie is marked, a dead process is left out, and a user without a name has its number', () => {
  const records = recordsFrom([
    process(7, { state: 'Z', userId: 6000 }),
    process(8, { state: 'X' }),
    process(9, { userId: undefined }),
  ]);
  expect(records.map(flat).map(({ pid, cmd, user }) => [pid, cmd, user])).toEqual([
    [7, 'python3 <defunct>', '_user_6000'],
    [9, 'python3', '_user_unknown'],
  ]);
});

it('a process that only a card knows is reported as unknown', () => {
  const records = recordsFrom([process(7)], [use(7), use(666)]);
  expect(records.map(flat).map(({ pid, cmd, user, ppid, gpus }) => [pid, cmd, user, ppid, gpus.length])).toEqual([
    [7, 'python3', 'ann', 1, 1],
    [666, '_unknown_', '_user_unknown', 1, 1],
  ]);
});

it('a process that only a card knows is left out where the processes are those of one runner', () => {
  const records = recordsFrom([process(7)], [use(7), use(666)], true);
  expect(records.map(flat).map(({ pid, gpus }) => [pid, gpus.length])).toEqual([[7, 1]]);
});

it('descendants of containerd below init are in a container, and no others', () => {
  const records = recordsFrom([
    process(10, { name: 'containerd-shim' }),
    process(11, { parentPid: 10 }),
    process(12, { parentPid: 11 }),
    process(13, { parentPid: 20 }),
    process(20, { name: 'containerd', parentPid: 2 }),
  ]);
  expect(
    records
      .map(flat)
      .filter(({ in_container: isInside }) => isInside)
      .map(({ pid }) => pid),
  ).toEqual([11, 12]);
});

it('a job of Slurm has epoch 0, and a process group with its number and user is another job', () => {
  const { jobs } = wholeSample(
    recordsFrom([process(7, { slurm }), process(8, { groupId: 42 }), process(9, { slurm })]),
  );
  expect(jobs.map(({ job, user, epoch, processes }) => [job, user, epoch, processes.map(({ pid }) => pid)])).toEqual([
    [42, 'ann', undefined, [7, 9]],
    [42, 'ann', 99, [8]],
  ]);
});

it('an idle node sends an empty list of jobs, which says that it is alive', () => {
  expect(wholeSample([])).toEqual({ time: expect.any(String), cluster: 'c', node: 'n', jobs: [] });
});

it('fields with their default are left out, and those that consumers need stay', () => {
  const idle = { cpuSeconds: 0, waitedCpuSeconds: 0, threads: 1, privateBytes: 0, writtenBytes: 0 };
  const { jobs } = wholeSample(recordsFrom([process(8, idle)], [use(8, { computePercent: 0, memoryPercent: 0 })]));
  expect(jobs[0]?.processes[0]).toEqual({
    virtual_memory: 8,
    cmd: 'python3',
    pid: 8,
    ppid: 1,
    data_read: 1,
    gpus: [
      {
        index: 0,
        uuid: 'GPU-1',
        gpu_memory: 100,
      },
    ],
  });
});

it('processes of a Slurm job with one parent and command are added up, and a process without a twin keeps its id', () => {
  const records = recordsFrom(
    [
      process(7, { slurm, parentPid: 5 }),
      process(8, { slurm, parentPid: 5 }),
      process(9, { slurm, parentPid: 5, name: 'other' }),
      process(5, { slurm, name: 'launcher' }),
    ],
    [use(7), use(8), use(8, { uuid: 'GPU-2', index: 1 })],
  );
  const rolled = rollUp(records).map(flat);
  expect(rolled.map(({ pid, cmd, rolledup }) => [pid, cmd, rolledup])).toEqual([
    [5, 'launcher', 0],
    [0, 'python3', 1],
    [9, 'other', 0],
  ]);
  expect(rolled[1]).toMatchObject({
    num_threads: 6,
    cpu_time: 16,
    cpu_avg: 10,
    cpu_util: 104.5,
    resident_memory: 7814,
    data_read: 2,
    gpus: [
      {
        uuid: 'GPU-1',
        gpu_util: 100,
        gpu_memory: 200,
        gpu_memory_util: 20,
      },
      {
        uuid: 'GPU-2',
        gpu_util: 50,
      },
    ],
  });
});

it('processes outside of Slurm, and those with children, are not added up', () => {
  const records = recordsFrom([
    process(7),
    process(8),
    process(20, { slurm }),
    process(21, { slurm }),
    process(30, { slurm, parentPid: 20, name: 'a' }),
    process(31, { slurm, parentPid: 21, name: 'b' }),
  ]);
  expect(
    rollUp(records)
      .map(flat)
      .map(({ pid, rolledup }) => [pid, rolledup]),
  ).toEqual([7, 8, 20, 21, 30, 31].map((pid) => [pid, 0]));
});

it('a rolled-up record of a daemon has the same id in every sample, above all ids of processes', () => {
  const key = { job: 42, ppid: 5, cmd: 'python3', user: 'ann' };
  const [first, second] = [createRollUpIds(4_194_304), createRollUpIds(4_194_304)];
  const id = first(key);
  expect(id).toBeGreaterThan(4_194_304);
  expect([first(key), second(key)]).toEqual([id, id]);
  expect(first({ ...key, job: 43 })).not.toBe(id);
});

const wanted = (changed: Partial<SampleFilters>, record: Partial<ProcessRecord> = {}) => {
  const [plain] = recordsFrom([process(7)]);
  return isWanted({ ...(plain as ProcessRecord), ...record }, { ...NO_FILTERS, ...changed }, 100_000_000);
};

const contained = { ...(recordsFrom([process(7)])[0] as ProcessRecord).process, in_container: true };

test.each<[string, boolean, Partial<SampleFilters>, Partial<ProcessRecord>]>([
  ['without filters', true, {}, {}],
  ['that used enough time', true, { minCpuSeconds: 8 }, {}],
  ['that used too little time', false, { minCpuSeconds: 9 }, {}],
  ['that reached one of two limits', true, { minCpuSeconds: 9, minCpuPercent: 5 }, {}],
  ['that has too little of the memory', false, { minMemoryPercent: 6 }, {}],
  ['that has enough of the memory', true, { minMemoryPercent: 5 }, {}],
  ['of an excluded user', false, { excludeUsers: ['bob', 'ann'] }, {}],
  ['of a user whose name begins like an excluded one', true, { excludeUsers: ['an'] }, {}],
  ['whose command begins like an excluded one', false, { excludeCommands: ['pyth'] }, {}],
  ['of the system', false, { excludeSystemJobs: true }, { userId: 999 }],
  ['of the system inside a container', true, { excludeSystemJobs: true }, { userId: 999, process: contained }],
  ['that only a card knows', true, { excludeSystemJobs: true }, { userId: undefined }],
])('a process %s is reported: %s', (_, isReported, filters, record) =>
  expect(wanted(filters, record)).toBe(isReported),
);
