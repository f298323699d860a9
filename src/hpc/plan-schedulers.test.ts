import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { usableSeconds } from '../core/allocation/usable-time.ts';
import { parseWalltime } from '../core/quantity/slurm-time.ts';
import type { JobGroup } from './job-group.ts';
import { type SchedulerPlanOptions, planSchedulers } from './plan-schedulers.ts';
import { partition } from './profile.ts';
import { parseMemoryMb } from '../core/quantity/slurm-memory.ts';
import { builtInProfiles } from './sites.ts';
import { workflowRules } from './workflow-rules.ts';

const kestrel = builtInProfiles.find(({ name }) => name === 'kestrel')?.partitions ?? [];
const HOURS = 3600;
const MINUTES = 60;

const options: SchedulerPlanOptions = {
  partitions: kestrel,
  account: 'proj',
  groupBy: 'resource-requirements',
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
  isSingleAllocation: false,
  ...workflowRules({}),
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
const allocations = (groups: JobGroup[], over: Partial<SchedulerPlanOptions> = {}) =>
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

  // Torc 1.0.0 counts them once more for each node: 10 and 20, of one node.
  test.each([2, 4])(
    'the number of allocations of 10 jobs on %i nodes is 10, and each allocation has the nodes of a job',
    (nodes) => {
      const { schedulers } = planSchedulers([group(10, 52, '4g', 0, 8 * HOURS, { nodes })], options);
      expect(schedulers).toMatchObject([{ allocations: 10, nodes, extra: '--cpus-per-task=52' }]);
    },
  );

  it('the number of allocations of short jobs is that of ten minutes of work each, and of one round where that is enough', () => {
    const minutes = (count: number, over: Partial<JobGroup> = {}) =>
      planSchedulers([group(count, 26, '4g', 0, MINUTES, over)], options).schedulers[0];
    expect(minutes(100)).toMatchObject({ allocations: 3, walltime: '00:13:00' });
    expect(minutes(4)).toMatchObject({ allocations: 1, walltime: '00:04:00' });
    expect(minutes(12)).toMatchObject({ allocations: 1, walltime: '00:06:00' });
    expect(minutes(135, { nodes: 2 })).toMatchObject({ allocations: 14, nodes: 2, walltime: '00:13:00' });
  });

  it('the number of allocations is one for --single-allocation, with a node for each that it replaces', () => {
    const { schedulers } = planSchedulers([group(10, 104, '4g', 0, HOURS)], { ...options, isSingleAllocation: true });
    expect(schedulers).toMatchObject([{ allocations: 1, nodes: 10 }]);
    const wide = planSchedulers([group(3, 104, '4g', 0, HOURS, { nodes: 2 })], {
      ...options,
      isSingleAllocation: true,
    });
    expect(wide.schedulers).toMatchObject([{ allocations: 1, nodes: 6 }]);
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

const STEPS = workflowRules({ execution_config: { mode: 'slurm' } });
const CHECKPOINTS = workflowRules({
  execution_config: { mode: 'auto', srun_termination_signal: 'TERM@120', sigkill_headroom_seconds: 300 },
});

describe('the walltime', () => {
  // That of Torc 1.0.0 (18:00:00, 12:00:00, 04:00:00, 1-06:00:00), and what jobs cannot use of it: 60 + 30 + 30 s.
  test.each([
    [12, 1.5, '18:02:00'],
    [6, 2, '12:02:00'],
    [4, 1, '04:02:00'],
    [20, 1.5, '1-06:02:00'],
  ])('the walltime of jobs of %i h, times %d, is %s', (hours, walltimeMultiplier, walltime) => {
    const over = { ...options, walltimeMultiplier };
    expect(planSchedulers([group(1, 4, '4g', 0, hours * HOURS)], over).schedulers).toMatchObject([{ walltime }]);
  });

  // As Torc 1.0.0.
  test.each([
    [36, 1.5, '2-00:00:00'],
    [0, 1.5, '04:00:00'],
  ])(
    'the walltime of jobs of %i h, times %d, is the limit of their partition, %s',
    (hours, walltimeMultiplier, walltime) => {
      const over = { ...options, walltimeMultiplier };
      expect(planSchedulers([group(1, 4, '4g', 0, hours * HOURS)], over).schedulers).toMatchObject([{ walltime }]);
    },
  );

  // Torc 1.0.0 plans 00:01:30 for each of them, in which no step can start.
  test.each([
    ['processes', workflowRules({}), '00:04:00'],
    ['steps', STEPS, '00:04:00'],
    ['steps with an early signal', CHECKPOINTS, '00:10:00'],
  ])('the walltime of jobs of a minute that are %s is %s', (_, rules, walltime) => {
    const { schedulers } = planSchedulers([group(1, 4, '4g', 0, MINUTES)], { ...options, ...rules });
    expect(schedulers).toMatchObject([{ walltime }]);
  });

  it('the walltime includes the delay of runners that start together, unless they start at once', () => {
    const jobs = [group(500, 104, '4g', 0, HOURS)];
    const walltimes = [true, false].map(
      (staggersStarts) => planSchedulers(jobs, { ...options, staggersStarts }).schedulers[0]?.walltime,
    );
    expect(walltimes).toEqual(['01:33:00', '01:32:00']);
  });

  const limited = (seconds: number) => [
    partition({ name: 'quick', cpus_per_node: 4, memory_mb: 4000, max_walltime_secs: seconds }),
  ];
  it('a partition whose limit is too short for the longest job is refused with the sum', () => {
    const jobs = [group(1, 1, '1g', 0, MINUTES)];
    const refused = planSchedulers(jobs, { ...options, ...STEPS, partitions: limited(3 * MINUTES) });
    expect(refused).toMatchObject({
      schedulers: [],
      warnings: [
        "No partition found for resource requirements 'rr' (CPUs: 1, Memory: 1024 MB, Runtime: 00:01:00, GPUs: 0): partition 'quick' has a limit of 00:03:00, and these jobs need at least runtime 00:01:00 + headroom 00:01:00 + lead 00:00:00 + start 00:01:30 = 00:03:30 (the factor 1.5 for the runtime would come on top)",
      ],
    });
    const enough = planSchedulers(jobs, { ...options, ...STEPS, partitions: limited(4 * MINUTES + 59) });
    expect(enough).toMatchObject({ schedulers: [{ walltime: '00:04:00' }], warnings: [] });
  });

  it('a walltime that is given stays as it is; what is wrong with it is said, and where nothing would start nothing is planned', () => {
    const given = (walltimeSeconds: number) =>
      planSchedulers([group(1, 1, '1g', 0, HOURS)], {
        ...options,
        ...STEPS,
        partitions: limited(2 * HOURS),
        walltimeSeconds,
      });
    expect(given(2 * HOURS)).toMatchObject({ schedulers: [{ walltime: '02:00:00' }], warnings: [] });
    expect(given(HOURS)).toMatchObject({
      schedulers: [{ walltime: '01:00:00' }],
      warnings: [
        expect.stringContaining('a job that uses all of its time is ended early; it needs runtime 01:00:00 +'),
      ],
    });
    expect(given(3 * HOURS).warnings).toEqual([
      "Walltime 03:00:00 of rr_scheduler exceeds the limit of partition 'quick', 02:00:00",
    ]);
    expect(given(HOURS / 2)).toMatchObject({
      schedulers: [],
      warnings: [expect.stringContaining('no job would start in a walltime of 00:30:00')],
    });
  });

  const shapes = fc.record({
    seconds: fc.integer({ min: 1, max: 40 * HOURS }),
    count: fc.integer({ min: 1, max: 300 }),
    cpus: fc.integer({ min: 1, max: 104 }),
    nodes: fc.constantFrom(1, 1, 2, 5),
    factor: fc.double({ min: 1, max: 3, noNaN: true }),
    rules: fc.constantFrom(workflowRules({}), STEPS, CHECKPOINTS),
    strategy: fc.constantFrom('max-job-runtime', 'max-partition-time'),
  });
  it('any plan has room for all of its jobs, each with the time that it requests', () => {
    fc.assert(
      fc.property(shapes, ({ seconds, count, cpus, nodes, factor, rules, strategy }) => {
        const jobs = group(count, cpus, '1g', 0, seconds, { nodes });
        const over = { ...options, ...rules, walltimeMultiplier: factor, walltimeStrategy: strategy };
        const [each] = planSchedulers([jobs], over).schedulers;
        const walltime = parseWalltime(each?.walltime ?? '0');
        const usable = usableSeconds(rules.margins, { lengthSeconds: walltime, leftSeconds: walltime - 30 });
        const grace = strategy === 'max-partition-time' ? 120 + 60 : 0;
        const rounds = Math.max(1, Math.floor((usable + grace) / seconds));
        const atOnce = Number(/=(\d+)$/.exec(each?.extra ?? '')?.[1]) / cpus;
        expect(usable).toBeGreaterThanOrEqual(seconds);
        expect((each?.allocations ?? 0) * rounds * atOnce).toBeGreaterThanOrEqual(count);
      }),
    );
  });
});

describe('a scheduler', () => {
  const one = (jobs: JobGroup, over: Partial<SchedulerPlanOptions> = {}) =>
    planSchedulers([jobs], { ...options, ...over }).schedulers[0];

  it('a scheduler names a partition that Slurm does not choose itself', () => {
    expect(one(group(1, 4, '1g', 0, HOURS))).toMatchObject({ partition: undefined });
    expect(one(group(1, 4, '1g', 0, HOURS), { forcedPartition: 'nvme' })).toMatchObject({ partition: 'nvme' });
    expect(one(group(1, 4, '1g', 0, HOURS), { namesPartitions: true })).toMatchObject({ partition: 'short' });
  });

  it('a scheduler of PBS keeps the chunks, the place and the project of the one before, and its request takes what is no size', () => {
    const pbs = { project: 'climate', select: '1:ncpus=1:model=sky', place: 'excl' };
    expect(one(group(1, 4, '1g', 0, HOURS, { kept: { id: 1, account: 'a', pbs } }))).toMatchObject({ pbs });
    expect(one(group(1, 4, '1g', 0, HOURS))).not.toHaveProperty('pbs');
  });

  it('a scheduler of PBS names its queue unless it is the default one, where a job that names none would come to', () => {
    const queue = (more: object) =>
      partition({ name: 'q', cpus_per_node: 104, memory_mb: 240_000, max_walltime_secs: 10 * HOURS, ...more });
    const on = (system: string, more: object) =>
      one(group(1, 4, '1g', 0, HOURS), { system, partitions: [queue(more)] })?.partition;
    expect([on('pbs', {}), on('pbs', { is_default: true }), on('slurm', {})]).toEqual(['q', undefined, undefined]);
  });

  it('a scheduler asks for the memory that its jobs need at a time, and for the runner; of whole nodes for all', () => {
    // As Torc 1.0.0, which asks for all of the memory everywhere.
    expect(one(group(1, 4, '1g', 0, HOURS))).toMatchObject({ mem: '240g' });
    expect(one(group(1, 4, '1g', 2, HOURS))).toMatchObject({ mem: '1280m' });
    expect(one(group(9, 4, '100g', 1, HOURS))).toMatchObject({ mem: '307456m' });
    expect(one(group(9, 32, '89990m', 1, HOURS))).toMatchObject({ mem: '360000m' });
    expect(one(group(2, 4, '1g', 2, HOURS), { defaults: { exclusive: true } })).toMatchObject({ mem: '351g' });
    const small = { name: 'p', cpus_per_node: 4, memory_mb: 1000, max_walltime_secs: HOURS };
    const on = (more: object) => ({ partitions: [partition({ ...small, ...more })] });
    expect(one(group(1, 1, '1m', 0, MINUTES), on({}))).toMatchObject({ mem: '1000m' });
    // A live cluster says whether nodes are given whole; whether their CPUs are shared says nothing.
    expect(one(group(1, 1, '1m', 0, MINUTES), on({ exclusive: false }))).toMatchObject({ mem: '257m' });
  });

  it('a scheduler asks for the GPUs of all jobs that the plan runs at a time', () => {
    // Torc 1.0.0 asks for those of one job.
    expect(one(group(8, 32, '90g', 2, HOURS))).toMatchObject({ allocations: 4, gres: 'gpu:4' });
    expect(one(group(1, 4, '1g', 2, HOURS))).toMatchObject({ gres: 'gpu:2' });
    expect(one(group(3, 4, '1g', 2, HOURS, { nodes: 2 }))).toMatchObject({ nodes: 2, gres: 'gpu:2' });
    expect(one(group(1, 4, '1g', 0, HOURS))).toMatchObject({ gres: undefined });
  });

  it('a scheduler asks for its CPUs, unless the workflow asks for CPUs or tasks itself', () => {
    expect(one(group(9, 4, '1g', 0, HOURS))).toMatchObject({ extra: '--cpus-per-task=36' });
    expect(one(group(9, 4, '1g', 0, HOURS), { defaults: { ntasks_per_node: 2 } })).toMatchObject({ extra: undefined });
  });

  it('jobs of several nodes are planned with a warning where the mode starts processes, which have one node', () => {
    const wide = group(2, 4, '1g', 0, HOURS, { nodes: 2 });
    expect(planSchedulers([wide], options).warnings).toEqual([
      "Resource requirements 'rr': jobs with num_nodes 2 run as steps only; set execution_config: {mode: slurm}",
    ]);
    expect(planSchedulers([wide], { ...options, ...STEPS }).warnings).toEqual([]);
    expect(planSchedulers([wide], { ...options, system: 'pbs' }).warnings).toEqual([]);
  });

  it('jobs with GPUs and without have schedulers of their own on one partition, and those without ask for none', () => {
    const both = [
      partition({ name: 'p', cpus_per_node: 8, memory_mb: 8000, max_walltime_secs: HOURS, gpus_per_node: 2 }),
    ];
    const groups = [group(8, 1, '1g', 0, MINUTES), group(2, 1, '1g', 1, MINUTES)];
    expect(planSchedulers(groups, { ...options, partitions: both, groupBy: 'partition' }).schedulers).toMatchObject([
      { name: 'p_scheduler', gres: undefined, allocations: 1 },
      { name: 'p_2_scheduler', gres: 'gpu:2', allocations: 1 },
    ]);
  });

  it('jobs of several nodes and of one have schedulers of their own, with different names', () => {
    const groups = [group(4, 4, '1g', 0, HOURS), group(2, 4, '1g', 0, HOURS, { nodes: 2 })];
    const plan = planSchedulers(groups, { ...options, ...STEPS, groupBy: 'partition' });
    expect(plan.schedulers).toMatchObject([
      { name: 'short_scheduler', nodes: 1, allocations: 1 },
      { name: 'short_2_scheduler', nodes: 2, allocations: 2 },
    ]);
  });

  it('a scheduler is not made for what no partition serves, and a warning says which', () => {
    expect(planSchedulers([group(2, 500, '1g', 0, HOURS)], options)).toMatchObject({
      schedulers: [],
      warnings: [
        "No partition found for resource requirements 'rr' (CPUs: 500, Memory: 1024 MB, Runtime: 01:00:00, GPUs: 0)",
      ],
    });
    const forced = planSchedulers([group(2, 1, '1g', 0, HOURS)], { ...options, forcedPartition: 'nowhere' });
    expect(forced).toMatchObject({ schedulers: [], warnings: [expect.stringMatching(/nowhere.*not found/)] });
    expect(planSchedulers([group(1, 0, '1g', 0, HOURS)], options).warnings).toEqual([
      expect.stringContaining('CPUs or memory is zero'),
    ]);
  });
});

describe('groups by partition', () => {
  const over = { ...options, groupBy: 'partition' } as const;
  const names = (groups: JobGroup[], more: Partial<SchedulerPlanOptions> = {}) =>
    planSchedulers(groups, { ...over, ...more }).schedulers.map(({ name, allocations: count }) => [name, count]);

  it('groups by partition take the largest of each need: 100 light and 4 heavy jobs need 52 allocations, 6 by requirements, and 2 where they are packed', () => {
    const jobs = [
      group(100, 4, '8g', 0, 20 * MINUTES, { requirements: ['light'] }),
      group(4, 52, '120g', 0, 3 * HOURS, { requirements: ['heavy'] }),
    ];
    expect(names(jobs)).toEqual([['short_scheduler', 52]]);
    expect(names(jobs, { groupBy: 'resource-requirements' })).toEqual([
      ['light_scheduler', 4],
      ['heavy_scheduler', 2],
    ]);
    expect(names(jobs, { groupBy: 'packed' })).toEqual([['short_scheduler', 2]]);
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

  it('groups by partition have a walltime in which jobs that wait for each other run one after another', () => {
    const { schedulers } = planSchedulers([build, work, join], { ...over, waitsFor });
    // Join waits for work in the allocations of the second one.
    expect(schedulers.map(({ walltime }) => walltime)).toEqual(['00:17:00', '00:32:00']);
    const chain = group(2, 4, '4g', 0, HOURS, { isDeferred: true });
    const first = group(1, 4, '4g', 0, HOURS);
    const order = [...numbers(first), ...numbers(chain)];
    const after = (isOne: (job: number) => boolean) => (job: number) =>
      order.indexOf(job) > 0 && isOne(order[order.indexOf(job) - 1] as number);
    const one = (multiplier: number) =>
      planSchedulers([first, chain], { ...over, walltimeMultiplier: multiplier, waitsFor: after }).schedulers;
    expect(one(1)).toMatchObject([{ allocations: 1, walltime: '03:02:00' }]);
    // At most the limit of the partition.
    expect(one(1.5)).toMatchObject([{ allocations: 1, walltime: '04:00:00' }]);
  });

  it('groups by partition stay apart where they need different partitions', () => {
    const jobs = [
      group(1, 1, '1g', 0, MINUTES, { requirements: ['cpu'] }),
      group(1, 1, '1g', 1, MINUTES, { requirements: ['gpu'] }),
    ];
    expect(names(jobs).map(([name]) => name)).toEqual(['short_scheduler', 'gpu-h100s_scheduler']);
  });
});
