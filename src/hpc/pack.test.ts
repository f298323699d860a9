import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { overheadSeconds, roundSeconds } from '../core/allocation/usable-time.ts';
import { parseWalltime } from '../core/quantity/slurm-time.ts';
import { parseMemoryMb } from '../core/quantity/slurm-memory.ts';
import { byClaim, type JobNeeds, roomFor } from './fill-allocation.ts';
import type { JobGroup } from './job-group.ts';
import {
  planSchedulers,
  type PlannedScheduler,
  type SchedulerPlan,
  type SchedulerPlanOptions,
} from './plan-schedulers.ts';
import { type HpcPartition, partition } from './profile.ts';
import { workflowRules } from './workflow-rules.ts';

const MINUTE = 60;
const HOUR = 3600;
const NODE = { cpus_per_node: 48, memory_mb: 192_000, max_walltime_secs: 48 * HOUR, gpus_per_node: 4 };
const whole = partition({ name: 'whole', ...NODE, exclusive: true });
const shared = partition({ name: 'shared', ...NODE, exclusive: false });

const options: SchedulerPlanOptions = {
  partitions: [whole],
  account: 'proj',
  groupBy: 'packed',
  walltimeStrategy: 'max-job-runtime',
  walltimeMultiplier: 1.5,
  isSingleAllocation: false,
  ...workflowRules({}),
  waitsFor: () => () => false,
};
const planOn = (on: HpcPartition, groups: readonly JobGroup[], over: Partial<SchedulerPlanOptions> = {}) =>
  planSchedulers(groups, { ...options, partitions: [on], ...over });

let number = 0;
const group = (name: string, count: number, needs: Partial<JobGroup>): JobGroup => ({
  requirements: [name],
  cpus: 1,
  memoryMb: 100,
  gpus: 0,
  nodes: 1,
  runtimeSeconds: MINUTE,
  isDeferred: false,
  ...needs,
  jobs: Array.from({ length: count }, () => {
    number += 1;
    return { name: `${name}${number}`, number };
  }),
});

/** Jobs of sizes that fit beside each other: halves, quarters and smaller parts of a node, with their share of its memory. */
const anyGroup = fc
  .record({
    count: fc.integer({ min: 1, max: 300 }),
    part: fc.constantFrom(1, 2, 4, 8, 16, 48),
    memoryShare: fc.double({ min: 0.05, max: 1, noNaN: true }),
    gpus: fc.constantFrom(0, 0, 0, 1, 2, 4),
    nodes: fc.constantFrom(1, 1, 1, 2, 3),
    runtimeSeconds: fc.oneof(fc.integer({ min: 30, max: 20 * MINUTE }), fc.integer({ min: MINUTE, max: 20 * HOUR })),
  })
  .map(({ count, part, memoryShare, gpus, nodes, runtimeSeconds }) => {
    // A job of several nodes has them for itself, so it asks for all of them.
    const parts = nodes > 1 ? 1 : Math.min(part, gpus > 0 ? 4 / gpus : part);
    const memoryMb = Math.floor((NODE.memory_mb / parts) * (nodes > 1 ? 1 : memoryShare));
    return group('any', count, { cpus: NODE.cpus_per_node / parts, memoryMb, gpus, nodes, runtimeSeconds });
  });
const anyMix = fc.array(anyGroup, { minLength: 1, maxLength: 8 });
const anyRules = fc.constantFrom(workflowRules({}), workflowRules({ execution_config: { mode: 'slurm' } }));

const hours = ({ allocations, nodes, walltime, share }: PlannedScheduler, count = allocations) =>
  (count * nodes * parseWalltime(walltime) * share) / HOUR;
const oneEach = ({ schedulers }: SchedulerPlan) => schedulers.reduce((sum, each) => sum + hours(each, 1), 0);

describe('a packed plan', () => {
  it.each([
    ['whole nodes', whole],
    ['parts of nodes', shared],
  ])(
    'a packed plan for any mix of jobs asks, in %s, for 1.5 times what they need, and one allocation of each width',
    (_, on) => {
      fc.assert(
        fc.property(anyMix, anyRules, (groups, rules) => {
          const plan = planOn(on, groups, rules);
          const { asked, needed } = plan.nodeHours;
          expect(asked).toBeLessThanOrEqual(1.5 * needed + oneEach(plan) + 1e-6);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('a packed plan has every job once', () => {
    fc.assert(
      fc.property(anyMix, (groups) => {
        const jobs = planOn(shared, groups).schedulers.flatMap((each) => each.group.jobs.map((job) => job.number));
        expect(jobs.toSorted((a, b) => a - b)).toEqual(groups.flatMap((each) => each.jobs.map((job) => job.number)));
      }),
    );
  });

  it('a packed plan has room for all of its jobs when all runners start together and take them as the server assigns them', () => {
    let short = 0;
    fc.assert(
      fc.property(anyMix, (mix) => {
        const groups = mix.filter(({ nodes }) => nodes === 1);
        if (leftAfter(planOn(shared, groups), groups) > 0) short += 1;
      }),
      { numRuns: 300 },
    );
    // Times that are left over in two simulations may differ: 3 of 1,500 mixes leave some jobs.
    expect(short).toBeLessThanOrEqual(6);
  });

  const testCluster = (over: Partial<HpcPartition> = {}) =>
    partition({ name: 'debug', cpus_per_node: 4, memory_mb: 4000, max_walltime_secs: HOUR, gpus_per_node: 2, ...over });
  const mixed = () => [
    group('small', 100, {}),
    group('wide', 10, { cpus: 4, memoryMb: 1000 }),
    group('long', 6, { runtimeSeconds: 15 * MINUTE }),
    group('gpu', 8, { gpus: 1 }),
    group('two', 4, { nodes: 2 }),
  ];

  it('a packed plan for a mixed file asks for 1.7 node hours where 1.02 are needed, and a group of the largest of each for 50.6', () => {
    const plan = planOn(testCluster(), mixed());
    expect(plan.schedulers.map(({ name, allocations, nodes, gres }) => [name, allocations, nodes, gres])).toEqual([
      ['debug_scheduler', 3, 1, undefined],
      ['debug_2_scheduler', 1, 1, 'gpu:2'],
      ['debug_3_scheduler', 1, 2, undefined],
    ]);
    expect(plan.nodeHours.needed).toBeCloseTo(1.025);
    expect(plan.nodeHours.asked).toBeLessThan(1.7);
    const over = { groupBy: 'partition' } as const;
    expect(planOn(testCluster(), mixed(), over).nodeHours.asked).toBeCloseTo(50.6, 1);
  });

  it('a packed plan has nothing without jobs, and for one job an allocation of its size', () => {
    expect(planOn(shared, [])).toEqual({ schedulers: [], warnings: [], nodeHours: { asked: 0, needed: 0 } });
    const plan = planOn(shared, [group('one', 1, { cpus: 4, memoryMb: 1000 })]);
    expect(plan.schedulers).toMatchObject([
      { allocations: 1, nodes: 1, walltime: '00:04:00', extra: '--cpus-per-task=4', mem: '1256m', gres: undefined },
    ]);
  });

  it('a packed plan leaves out what no partition serves, with the reason, and plans the rest', () => {
    const plan = planOn(shared, [group('giant', 2, { cpus: 500 }), group('card', 2, { gpus: 5 }), group('one', 1, {})]);
    expect(plan.schedulers.map((each) => each.group.requirements)).toEqual([['one']]);
    expect(plan.warnings).toEqual([
      expect.stringContaining("No partition found for resource requirements 'giant'"),
      expect.stringContaining("No partition found for resource requirements 'card'"),
    ]);
  });

  it('a packed plan has time for a chain of jobs of different runtimes, each once', () => {
    const first = group('first', 1, { runtimeSeconds: HOUR });
    const rest = [
      group('second', 1, { isDeferred: true }),
      group('third', 1, { isDeferred: true, runtimeSeconds: HOUR }),
    ];
    const order = [first, ...rest].flatMap(({ jobs }) => jobs.map((job) => job.number));
    const waitsFor = (isOne: (job: number) => boolean) => (job: number) =>
      order.indexOf(job) > 0 && isOne(order[order.indexOf(job) - 1] as number);
    // 1.5 times two hours and a minute, and two minutes.
    expect(planOn(whole, [first, ...rest], { waitsFor }).schedulers).toMatchObject([
      { allocations: 1, walltime: '03:04:00', gate: [first.jobs[0]?.name] },
    ]);
  });

  it('a packed plan for jobs of a minute has time for what ten rounds really take', () => {
    const plan = planOn(testCluster(), [group('minute', 200, {})]);
    expect(plan.schedulers).toMatchObject([{ allocations: 5, walltime: '00:13:00' }]);
  });

  it('one allocation has no more nodes than its partition; they work longer instead, and where that is too long there are several', () => {
    const one = (over: Partial<HpcPartition>) =>
      planOn(testCluster(over), [group('minute', 200, {})], { isSingleAllocation: true });
    expect(one({})).toMatchObject({ schedulers: [{ allocations: 1, nodes: 5, walltime: '00:13:00' }], warnings: [] });
    expect(one({ total_nodes: 2 })).toMatchObject({
      schedulers: [{ allocations: 1, nodes: 2, walltime: '00:35:00' }],
      warnings: [],
    });
    expect(one({ max_nodes: 1, total_nodes: 9 })).toMatchObject({
      schedulers: [{ allocations: 1, nodes: 1, walltime: '00:57:00' }],
    });
    expect(one({ total_nodes: 1, max_walltime_secs: 20 * MINUTE })).toMatchObject({
      schedulers: [{ allocations: 5, nodes: 1 }],
      warnings: [
        "debug_scheduler: partition 'debug' gives an allocation 1 node and 00:20:00 at most, so its jobs need 5 allocations",
      ],
    });
  });
});

/** The jobs that are left when runners have run what they took, each for its runtime and what the plan counts between two. */
function leftAfter({ schedulers }: SchedulerPlan, groups: readonly JobGroup[]): number {
  const waiting = groups
    .map(({ cpus, memoryMb, gpus, runtimeSeconds: runtime, jobs }) => {
      return { cpus, memoryMb, gpus, seconds: runtime + roundSeconds(runtime), left: jobs.length };
    })
    .toSorted(byClaim);
  const runners = schedulers.flatMap(({ allocations, walltime, gres, mem, extra }) => {
    const endsAt = parseWalltime(walltime) - overheadSeconds(options.margins);
    const size = {
      cpus: Number(/=(\d+)$/.exec(extra ?? '')?.[1]),
      memoryMb: parseMemoryMb(mem),
      gpus: Number(gres?.split(':')[1] ?? 0),
    };
    return Array.from({ length: allocations }, () => ({ ...size, endsAt }));
  });
  const running: { readonly endsAt: number; readonly job: JobNeeds; readonly on: (typeof runners)[number] }[] = [];
  const give = (on: (typeof runners)[number], { cpus, memoryMb, gpus }: JobNeeds, sign: number) => {
    on.cpus += sign * cpus;
    on.memoryMb += sign * memoryMb;
    on.gpus += sign * gpus;
  };
  for (let now = 0; ;) {
    for (const on of runners)
      for (const job of waiting)
        while (job.left > 0 && now + job.seconds <= on.endsAt && roomFor(job, { ...on, mostJobs: 1 }) > 0) {
          job.left -= 1;
          give(on, job, -1);
          running.push({ endsAt: now + job.seconds, job, on });
        }
    if (running.length === 0) return waiting.reduce((sum, { left }) => sum + left, 0);
    running.sort((a, b) => b.endsAt - a.endsAt);
    now = running.at(-1)?.endsAt as number;
    for (let last = running.at(-1); last?.endsAt === now; last = running.at(-1)) {
      running.pop();
      give(last.on, last.job, 1);
    }
  }
}
