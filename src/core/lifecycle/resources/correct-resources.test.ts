import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMemory } from '../../quantity/bytes.ts';
import { formatRuntime } from '../../quantity/duration.ts';
import { correctResources } from './correct-resources.ts';
import type { JobUse } from './family-use.ts';
import type { Limits, Use } from './resource-use.ts';

const GIB = 2 ** 30;
const MINUTE = 60;
const given: Limits = { memoryBytes: 8 * GIB, numCpus: 8, runtimeSeconds: 120 * MINUTE };
/** A use that offers no worthwhile saving. */
const full: Use = {
  isSuccess: true,
  causeCode: undefined,
  isEndedForTime: false,
  mayBeMemory: false,
  seconds: 100 * MINUTE,
  peakMemoryBytes: 8 * GIB,
  peakCpuPercent: 800,
};
const failed: Partial<Use> = { isSuccess: false };
const TWELVE_TENTHS = { memory: 1.2, cpu: 1.2, runtime: 1.2 };

/** Jobs that used this much; all of them have requirements record 1 by default. */
const jobs = (uses: readonly Partial<Use>[], more: Partial<JobUse> = {}): JobUse[] =>
  uses.map((use, index) => {
    const whole = { ...full, ...use };
    return {
      id: index + 1,
      name: `j${index + 1}`,
      requirementsId: 1,
      isCompleted: whole.isSuccess,
      use: whole,
      ...more,
    };
  });

const three = (use: Partial<Use>) => [use, use, use];

/** The corrections in the form in which they are written. */
function corrected(
  limits: Partial<Limits>,
  all: readonly JobUse[],
  options: Partial<Parameters<typeof correctResources>[3]> = {},
) {
  const whole = { ...given, ...limits };
  const found = correctResources(
    new Map([
      [1, whole],
      [2, whole],
    ]),
    all,
    TWELVE_TENTHS,
    { downsizes: true, purpose: 'advice', ...options },
  );
  return found.map(({ direction, memoryBytes, numCpus, runtimeSeconds, jobs: ofThem }) => [
    direction,
    memoryBytes === undefined ? '' : formatMemory(memoryBytes),
    numCpus ?? '',
    runtimeSeconds === undefined ? '' : formatRuntime(runtimeSeconds),
    ofThem.map(({ id }) => id),
  ]);
}

describe('requirements are raised', () => {
  it.each([
    ['to the measured use', { memoryBytes: 2 * GIB }, [{ peakMemoryBytes: 3.5e9 }], ['4g', '', '']],
    [
      'to a multiple of the old value, when a job was killed',
      { memoryBytes: 10 * GIB },
      [{ ...failed, mayBeMemory: true, seconds: 60, peakMemoryBytes: GIB }],
      ['12g', '', ''],
    ],
    [
      'to the largest use of several jobs',
      { memoryBytes: 2 * GIB },
      [{ peakMemoryBytes: 3e9 }, { peakMemoryBytes: 5e9 }],
      ['6g', '', ''],
    ],
    ['for CPUs, when three jobs kept more busy', { numCpus: 1 }, three({ peakCpuPercent: 150 }), ['', 2, '']],
    [
      'for the runtime, to the time that a job took',
      { runtimeSeconds: 30 * MINUTE },
      [{ seconds: 45 * MINUTE }],
      ['', '', 'PT54M'],
    ],
    [
      'for the runtime, to a multiple of the old value, when a job was stopped',
      {},
      [{ ...failed, isEndedForTime: true, seconds: 119 * MINUTE }],
      ['', '', 'PT2H24M'],
    ],
    [
      'for all resources at once',
      { memoryBytes: GIB, numCpus: 1, runtimeSeconds: 60 * MINUTE },
      three({}),
      ['10g', 8, 'PT2H'],
    ],
  ])('requirements are raised: %s', (_, limits, uses, expected) => {
    expect(corrected(limits, jobs(uses))).toEqual([['upscale', ...expected, uses.map((_use, index) => index + 1)]]);
  });

  it('requirements are raised for the chosen jobs only', () => {
    const two = [
      ...jobs([{ peakMemoryBytes: 9e9 }]),
      ...jobs([{ peakMemoryBytes: 20e9 }], { id: 2, requirementsId: 2 }),
    ];
    expect(corrected({}, two, { isChosen: ({ id }) => id === 1 })).toEqual([['upscale', '11g', '', '', [1]]]);
  });

  it('requirements do not change when a job failed for another reason', () => {
    expect(corrected({}, jobs([{ ...failed, seconds: MINUTE }]))).toEqual([]);
  });

  it('a multiplier below one never lowers requirements', () => {
    const requirements = new Map([[1, given]]);
    const low = { memory: 0.1, cpu: 0.1, runtime: 0.1 };
    expect(
      correctResources(requirements, jobs([{ peakMemoryBytes: 9e9 }]), low, { downsizes: true, purpose: 'advice' }),
    ).toEqual([]);
  });
});

describe('requirements are lowered', () => {
  it.each([
    [
      'for memory',
      {},
      [{ peakMemoryBytes: 2 * GIB }, { peakMemoryBytes: GIB }, { peakMemoryBytes: GIB }],
      ['3g', '', ''],
    ],
    ['for CPUs', {}, three({ peakCpuPercent: 150 }), ['', 2, '']],
    [
      'to one CPU for a single thread, whatever one sample shows',
      {},
      three({ peakCpuPercent: 108, meanCpuPercent: 99 }),
      ['', 1, ''],
    ],
    [
      'for the runtime',
      {},
      [{ seconds: 10 * MINUTE }, { seconds: 9 * MINUTE }, { seconds: MINUTE }],
      ['', '', 'PT12M'],
    ],
    [
      'for the runtime alone, when not all jobs were measured',
      {},
      [
        { seconds: 5 * MINUTE, peakMemoryBytes: MINUTE, peakCpuPercent: 10 },
        ...three({ seconds: 5 * MINUTE, peakMemoryBytes: 0, peakCpuPercent: undefined }),
      ],
      ['', '', 'PT6M'],
    ],
    [
      'to at least one minute and 128 MiB, and never for CPUs by jobs of less than ten seconds',
      { numCpus: 8 },
      three({ seconds: 0.1, peakMemoryBytes: 5, peakCpuPercent: 1 }),
      ['128m', '', 'PT1M'],
    ],
  ])('requirements are lowered: %s', (_, limits, uses, expected) => {
    expect(corrected(limits, jobs(uses))).toEqual([['downscale', ...expected, uses.map((_use, index) => index + 1)]]);
  });

  const small: Partial<Use> = { peakMemoryBytes: GIB, peakCpuPercent: 50, seconds: MINUTE };

  it.each([
    [
      'when the saving is too small',
      { memoryBytes: 3 * GIB, numCpus: 2, runtimeSeconds: 40 * MINUTE },
      jobs(three({ peakMemoryBytes: 2.5e9, peakCpuPercent: 198, seconds: 15 * MINUTE })),
    ],
    ['when only two jobs are known', {}, jobs([small, small])],
    ['when a job with these requirements failed', {}, jobs([...three(small), { ...small, ...failed }])],
    [
      'when a job with these requirements has not ended',
      {},
      [...jobs(three(small)), { ...jobs([small], { id: 4 })[0]!, isCompleted: false }],
    ],
    [
      'when a job with these requirements has no result',
      {},
      [...jobs(three(small)), ...jobs([small], { id: 4, use: undefined })],
    ],
    [
      'for memory when a job exceeded it, although it was not chosen',
      { numCpus: 1, runtimeSeconds: 20 * MINUTE },
      jobs([...three(small), { ...small, peakMemoryBytes: 9e9 }]),
    ],
  ])('requirements are not lowered: %s', (_, limits, all) => {
    expect(corrected(limits, all, { isChosen: ({ id }) => id === 1 })).toEqual([]);
  });

  it('requirements are not lowered unless that was requested', () => {
    expect(corrected({}, jobs(three(small)), { downsizes: false })).toEqual([]);
    expect(corrected({}, jobs(three(small)))).toEqual([['downscale', '2g', 1, 'PT2M', [1, 2, 3]]]);
  });
});

describe('CPUs', () => {
  const one = { numCpus: 1, runtimeSeconds: undefined };
  it.each([
    [
      'of 160 jobs, if one sample of one job was above one CPU',
      [{ seconds: 0.156, peakCpuPercent: 100.4 }, ...three({ peakCpuPercent: 80 })],
    ],
    ['of jobs that were above one CPU for a moment', three({ peakCpuPercent: 400, meanCpuPercent: 95 })],
    ['of jobs that were less than a tenth above', three({ meanCpuPercent: 109 })],
    ['of two jobs that kept more busy', [{ meanCpuPercent: 300 }, { meanCpuPercent: 300 }, { meanCpuPercent: 90 }]],
  ])('CPUs stay %s', (_, uses) => {
    expect(corrected(one, jobs(uses))).toEqual([]);
  });
});

describe('requirements that families share', () => {
  const named = (name: string, from: number, uses: readonly Partial<Use>[]) =>
    jobs(uses).map((job, index) => ({ ...job, id: from + index, name: `${name}_${index}` }));
  const align = named('align', 1, three({ peakMemoryBytes: 6 * GIB }));
  const merge = named('merge', 11, [{ peakMemoryBytes: 12 * GIB }]);

  it('a family that needs more gets requirements of its own, and the others keep theirs', () => {
    const found = correctResources(new Map([[1, given]]), [...align, ...merge], TWELVE_TENTHS, {
      downsizes: true,
      purpose: 'advice',
    });
    expect(
      found.map(({ isSplit, memoryBytes, sharing }) => [isSplit, memoryBytes, sharing.map(({ id }) => id)]),
    ).toEqual([[true, 15 * GIB, [11]]]);
  });

  it('where all need more, those with the most jobs keep the requirements', () => {
    const all = [...align.map((job) => ({ ...job, use: { ...full, peakMemoryBytes: 9 * GIB } })), ...merge];
    const found = correctResources(new Map([[1, given]]), all, TWELVE_TENTHS, { downsizes: true, purpose: 'advice' });
    expect(found.map(({ isSplit, memoryBytes }) => [isSplit, memoryBytes])).toEqual([
      [false, 11 * GIB],
      [true, 15 * GIB],
    ]);
  });

  it('to recover, shared requirements grow for all', () => {
    expect(corrected({}, [...align, ...merge], { purpose: 'recovery', downsizes: false })).toEqual([
      ['upscale', '15g', '', '', [11]],
    ]);
  });
});

describe('advice that is followed', () => {
  const use = fc.record<Use>({
    isSuccess: fc.boolean(),
    causeCode: fc.constant(undefined),
    isEndedForTime: fc.boolean(),
    mayBeMemory: fc.constant(false),
    seconds: fc.double({ min: 0, max: 40_000, noNaN: true }),
    peakMemoryBytes: fc.option(fc.integer({ min: 0, max: 10 * GIB }), { nil: undefined }),
    peakCpuPercent: fc.option(fc.double({ min: 0, max: 900, noNaN: true }), { nil: undefined }),
    meanCpuPercent: fc.option(fc.double({ min: 0, max: 900, noNaN: true }), { nil: undefined }),
  });
  const good = use.map((each) => ({ ...each, isSuccess: true, isEndedForTime: false }));
  const workflow = fc
    .tuple(
      fc.record<Limits>({
        memoryBytes: fc.constantFrom(2 ** 20, GIB, 8 * GIB),
        numCpus: fc.integer({ min: 1, max: 8 }),
        runtimeSeconds: fc.constantFrom(undefined, 60, 36_000),
      }),
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.oneof({ weight: 9, arbitrary: good }, use)), {
        maxLength: 12,
      }),
    )
    .map(([limits, list]) => ({
      limits,
      all: list.map(([name, each], id): JobUse => ({
        id,
        name: `${name}${id}`,
        requirementsId: 1,
        isCompleted: each.isSuccess,
        use: each,
      })),
    }));
  const advice = { downsizes: true, purpose: 'advice' } as const;
  const followed = (requirements: Map<number, Limits>, all: readonly JobUse[]) => {
    const [limits, after] = [new Map(requirements), new Map(all.map((job) => [job.id, job]))];
    for (const { requirementsId, isSplit, sharing, ...change } of correctResources(
      requirements,
      all,
      TWELVE_TENTHS,
      advice,
    )) {
      const id = isSplit ? limits.size + 1 : requirementsId;
      const before = requirements.get(requirementsId) as Limits;
      limits.set(id, {
        memoryBytes: change.memoryBytes ?? before.memoryBytes,
        numCpus: change.numCpus ?? before.numCpus,
        runtimeSeconds: change.runtimeSeconds ?? before.runtimeSeconds,
      });
      for (const job of sharing) after.set(job.id, { ...job, requirementsId: id });
    }
    return { limits, jobs: [...after.values()] };
  };

  it('a request that changes is never below what a job used', () => {
    fc.assert(
      fc.property(workflow, ({ limits, all }) => {
        for (const { sharing, memoryBytes, runtimeSeconds } of correctResources(
          new Map([[1, limits]]),
          all,
          TWELVE_TENTHS,
          advice,
        ))
          for (const { use: used } of sharing) {
            if (memoryBytes !== undefined) expect(memoryBytes).toBeGreaterThanOrEqual(used?.peakMemoryBytes ?? 0);
            if (runtimeSeconds !== undefined) expect(runtimeSeconds).toBeGreaterThanOrEqual(used?.seconds ?? 0);
          }
      }),
    );
  });

  it('nothing more changes when the same jobs are looked at again', () => {
    fc.assert(
      fc.property(workflow, ({ limits, all }) => {
        const once = followed(new Map([[1, limits]]), all);
        expect(correctResources(once.limits, once.jobs, TWELVE_TENTHS, advice)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });
});
