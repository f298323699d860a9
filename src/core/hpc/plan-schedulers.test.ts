import { describe, expect, it, test } from 'vitest';
import { type JobGroup, type PlanOptions, planSchedulers } from './plan-schedulers.ts';
import { partition } from './profile.ts';
import { parseMemoryMb } from './request-units.ts';
import { builtInProfiles } from './sites.ts';

const kestrel = builtInProfiles.find(({ name }) => name === 'kestrel')?.partitions ?? [];
const HOURS = 3600;
const MINUTES = 60;

const options: PlanOptions = {
  partitions: kestrel,
  account: 'proj',
  groupBy: 'resource-requirements',
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
  isSingleAllocation: false,
  waitsFor: () => () => false,
};

let number = 0;
const group = (
  count: number,
  cpus: number,
  memory: string,
  gpus: number,
  runtimeSeconds: number,
  more: Partial<JobGroup> = {},
): JobGroup => ({
  requirements: ['rr'],
  cpus,
  memoryMb: parseMemoryMb(memory),
  gpus,
  nodes: 1,
  runtimeSeconds,
  isDeferred: false,
  jobs: Array.from({ length: count }, () => {
    number += 1;
    return { name: `j${number}`, number };
  }),
  ...more,
});
const allocations = (groups: JobGroup[], over: Partial<PlanOptions> = {}) =>
  planSchedulers(groups, { ...options, ...over }).schedulers.map((each) => each.allocations);

describe('the number of allocations', () => {
  test.each<[number, number, string, number, number, number]>([
    [10, 26, '10g', 0, HOURS, 3],
    [10, 8, '120g', 0, HOURS, 5],
    [10, 12, '160g', 0, 20 * HOURS, 10],
    [4, 52, '60g', 0, HOURS, 2],
    [8, 32, '90g', 2, HOURS, 4],
    [100, 52, '10g', 0, HOURS, 50],
    [20, 4, '4g', 0, 8 * HOURS, 1],
    [20, 13, '4g', 0, 10 * MINUTES, 3],
    [20, 26, '4g', 0, 36 * HOURS, 5],
    [20, 52, '4g', 0, 8 * HOURS, 10],
    [20, 104, '4g', 0, 8 * HOURS, 20],
    [20, 4, '30g', 0, 8 * HOURS, 3],
    [20, 4, '60g', 0, 8 * HOURS, 5],
    [20, 4, '120g', 0, 8 * HOURS, 10],
    [20, 4, '240g', 0, 8 * HOURS, 20],
    [12, 16, '10g', 1, HOURS, 3],
    [12, 16, '10g', 2, 8 * HOURS, 6],
    [12, 16, '10g', 4, HOURS, 12],
    [12, 64, '10g', 1, HOURS, 6],
    [12, 16, '180g', 1, HOURS, 12],
    [12, 128, '90g', 2, HOURS, 12],
    [12, 32, '180g', 2, HOURS, 12],
    [20, 52, '60g', 0, 8 * HOURS, 10],
    [20, 26, '120g', 0, 8 * HOURS, 10],
    [40, 26, '4g', 0, 12 * HOURS, 10],
    [12, 16, '10g', 2, 12 * HOURS, 6],
    [4, 26, '4g', 0, 8 * HOURS, 1],
    [5, 26, '4g', 0, 8 * HOURS, 2],
    [9, 26, '4g', 0, 8 * HOURS, 3],
    [1, 1, '1g', 0, MINUTES, 1],
    [500, 52, '4g', 0, 10 * MINUTES, 250],
    [20, 26, '4g', 0, 48 * HOURS, 5],
  ])(
    'the number of allocations of %i jobs with %i CPUs, %s, %i GPUs and %i s is %6$i',
    (count, cpus, memory, gpus, seconds, expected) => {
      expect(allocations([group(count, cpus, memory, gpus, seconds)])).toEqual([expected]);
    },
  );

  test.each<[number, number, number, number]>([
    [1000, 4, 10 * MINUTES, 2],
    [1000, 26, 10 * MINUTES, 11],
    [1000, 52, 10 * MINUTES, 21],
    [1000, 104, 10 * MINUTES, 42],
    [100, 26, HOURS, 7],
    [100, 52, HOURS, 13],
    [100, 104, HOURS, 25],
    [100, 26, 20 * HOURS, 13],
    [100, 52, 20 * HOURS, 25],
    [100, 104, 20 * HOURS, 50],
    [100, 26, 10 * MINUTES, 2],
  ])(
    'of %i jobs with %i CPUs and %i s is %i where allocations take the time limit',
    (count, cpus, seconds, expected) => {
      const over = { walltimeStrategy: 'max-partition-time' } as const;
      expect(allocations([group(count, cpus, '4g', 0, seconds)], over)).toEqual([expected]);
    },
  );

  it('the number of allocations counts 240 jobs of a minute one after another in four hours', () => {
    const over = { walltimeStrategy: 'max-partition-time' } as const;
    expect(allocations([group(1000, 1, '1g', 0, MINUTES)], over)).toEqual([1]);
  });

  test.each([
    [2, 10],
    [4, 20],
  ])(
    'the number of allocations of jobs on %i nodes is %i, and each allocation has the nodes of a job',
    (nodes, expected) => {
      const { schedulers } = planSchedulers([group(10, 52, '4g', 0, 8 * HOURS, { nodes })], options);
      expect(schedulers).toMatchObject([{ allocations: expected, nodes }]);
    },
  );

  it('the number of allocations is one for --single-allocation, with a node for each that it replaces', () => {
    const { schedulers } = planSchedulers([group(10, 104, '4g', 0, HOURS)], { ...options, isSingleAllocation: true });
    expect(schedulers).toMatchObject([{ allocations: 1, nodes: 10 }]);
  });

  it('the number of allocations follows a walltime that is given', () => {
    const jobs = [group(10, 104, '4g', 0, HOURS)];
    expect(allocations(jobs, { walltimeSeconds: HOURS })).toEqual([10]);
    expect(allocations(jobs, { walltimeSeconds: 4 * HOURS })).toEqual([3]);
  });

  test.each([
    ['240g', 4],
    ['100g', 20],
  ])('the number of allocations of 40 jobs on a site with nodes of %s is %i', (memory, expected) => {
    const node = { cpus_per_node: 104, memory_mb: parseMemoryMb(memory), max_walltime_secs: 4 * HOURS };
    const own = [partition({ name: 'p', ...node })];
    const jobs = memory === '240g' ? group(40, 8, '16g', 0, HOURS) : group(40, 8, '50g', 0, HOURS);
    expect(allocations([jobs], { partitions: own })).toEqual([expected]);
  });
});

describe('the walltime', () => {
  test.each([
    [12, 1.5, '18:00:00'],
    [6, 2, '12:00:00'],
    [4, 1, '04:00:00'],
    [20, 1.5, '1-06:00:00'],
    [36, 1.5, '2-00:00:00'],
    [0, 1.5, '04:00:00'],
  ])('the walltime of jobs of %i h, times %d, is %s', (hours, walltimeMultiplier, walltime) => {
    const over = { ...options, walltimeMultiplier };
    expect(planSchedulers([group(1, 4, '4g', 0, hours * HOURS)], over).schedulers).toMatchObject([{ walltime }]);
  });
});

describe('a scheduler', () => {
  const one = (jobs: JobGroup, over: Partial<PlanOptions> = {}) =>
    planSchedulers([jobs], { ...options, ...over }).schedulers[0];

  it('a scheduler asks for the memory of the node, the GPUs of a job, and names a partition that Slurm does not choose itself', () => {
    expect(one(group(1, 4, '1g', 0, HOURS))).toMatchObject({ mem: '240g', gres: undefined, partition: undefined });
    expect(one(group(1, 4, '1g', 2, HOURS))).toMatchObject({ mem: '351g', gres: 'gpu:2', partition: undefined });
    expect(one(group(1, 4, '1g', 0, HOURS), { forcedPartition: 'nvme' })).toMatchObject({ partition: 'nvme' });
    expect(one(group(1, 4, '1g', 0, HOURS), { namesPartitions: true })).toMatchObject({ partition: 'short' });
    const small = [partition({ name: 'p', cpus_per_node: 4, memory_mb: 1000, max_walltime_secs: HOURS })];
    expect(one(group(1, 1, '1m', 0, MINUTES), { partitions: small })).toMatchObject({ mem: '1000m' });
  });

  it('a scheduler is not made for what no partition serves, and a warning says which', () => {
    expect(planSchedulers([group(2, 500, '1g', 0, HOURS)], options)).toEqual({
      schedulers: [],
      warnings: [
        "No partition found for resource requirements 'rr' (CPUs: 500, Memory: 1024 MB, Runtime: 01:00:00, GPUs: 0)",
      ],
    });
    const forced = planSchedulers([group(2, 1, '1g', 0, HOURS)], { ...options, forcedPartition: 'nowhere' });
    expect(forced).toEqual({ schedulers: [], warnings: [expect.stringMatching(/nowhere.*not found/)] });
    expect(planSchedulers([group(1, 0, '1g', 0, HOURS)], options).warnings).toEqual([
      expect.stringContaining('CPUs or memory is zero'),
    ]);
  });
});

describe('groups by partition', () => {
  const over = { ...options, groupBy: 'partition' } as const;
  const names = (groups: JobGroup[], more: Partial<PlanOptions> = {}) =>
    planSchedulers(groups, { ...over, ...more }).schedulers.map(({ name, allocations: count }) => [name, count]);

  it('groups by partition take the largest of each need: 100 light and 4 heavy jobs need 52 allocations, and 6 by requirements', () => {
    const jobs = [
      group(100, 4, '8g', 0, 20 * MINUTES, { requirements: ['light'] }),
      group(4, 52, '120g', 0, 3 * HOURS, { requirements: ['heavy'] }),
    ];
    expect(names(jobs)).toEqual([['short_scheduler', 52]]);
    expect(names(jobs, { groupBy: 'resource-requirements' })).toEqual([
      ['light_scheduler', 4],
      ['heavy_scheduler', 2],
    ]);
  });

  const build = group(1, 4, '4g', 0, 10 * MINUTES, { requirements: ['small'] });
  const work = group(10, 52, '4g', 0, 10 * MINUTES, { requirements: ['medium'], isDeferred: true });
  const join = group(1, 4, '4g', 0, 10 * MINUTES, { requirements: ['small'], isDeferred: true });
  const numbers = (jobs: JobGroup) => jobs.jobs.map((job) => job.number);
  const before = (job: number) =>
    numbers(work).includes(job) ? numbers(build) : numbers(join).includes(job) ? numbers(work) : [];
  const waitsFor = (isOne: (job: number) => boolean) => (job: number) => before(job).some(isOne);

  it('groups by partition include later jobs where few allocations are needed in all, and wait only for the first ones', () => {
    const { schedulers } = planSchedulers([build, work, join], {
      ...over,
      walltimeStrategy: 'max-partition-time',
      waitsFor,
    });
    expect(schedulers).toMatchObject([
      { name: 'short_scheduler', allocations: 1, gate: build.jobs.map(({ name }) => name) },
    ]);
  });

  it('groups by partition keep later jobs apart where more are needed; their allocations wait for the first of them', () => {
    const { schedulers } = planSchedulers([build, work, join], { ...over, waitsFor });
    expect(schedulers).toMatchObject([
      { name: 'short_scheduler', allocations: 1 },
      { name: 'short_deferred_scheduler', allocations: 6, gate: work.jobs.map(({ name }) => name) },
    ]);
  });

  it('groups by partition stay apart where they need different partitions', () => {
    const jobs = [
      group(1, 1, '1g', 0, MINUTES, { requirements: ['cpu'] }),
      group(1, 1, '1g', 1, MINUTES, { requirements: ['gpu'] }),
    ];
    expect(names(jobs).map(([name]) => name)).toEqual(['short_scheduler', 'gpu-h100s_scheduler']);
  });
});
