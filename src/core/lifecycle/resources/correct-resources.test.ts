import { describe, expect, it } from 'vitest';
import { formatMemory } from '../../quantity/bytes.ts';
import { formatRuntime } from '../../quantity/duration.ts';
import { correctResources, type JobUse } from './correct-resources.ts';
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
    { downsizes: true, ...options },
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
    ['for CPUs', { numCpus: 1 }, [{ peakCpuPercent: 150 }], ['', 2, '']],
    [
      'for the runtime, to the time that a job took',
      { runtimeSeconds: 30 * MINUTE },
      [{ seconds: 45 * MINUTE }],
      ['', '', 'PT54M'],
    ],
    [
      'for the runtime, to a multiple of the old value, when a job was stopped',
      {},
      [{ ...failed, isEndedForTime: true, seconds: MINUTE }],
      ['', '', 'PT2H24M'],
    ],
    [
      'for all resources at once',
      { memoryBytes: GIB, numCpus: 1, runtimeSeconds: 60 * MINUTE },
      [{}],
      ['10g', 10, 'PT2H'],
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
    expect(correctResources(requirements, jobs([{ peakMemoryBytes: 9e9 }]), low, { downsizes: true })).toEqual([]);
  });
});

describe('requirements are lowered', () => {
  it.each([
    ['for memory', {}, [{ peakMemoryBytes: 2 * GIB }, { peakMemoryBytes: GIB }], ['3g', '', '']],
    ['for CPUs', {}, [{ peakCpuPercent: 150 }], ['', 2, '']],
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
        { seconds: 5 * MINUTE, peakMemoryBytes: 0, peakCpuPercent: undefined },
      ],
      ['', '', 'PT6M'],
    ],
    [
      'to at least one minute and one mebibyte',
      { numCpus: 8 },
      [{ seconds: 0.1, peakMemoryBytes: 5, peakCpuPercent: 1 }],
      ['1m', 1, 'PT1M'],
    ],
  ])('requirements are lowered: %s', (_, limits, uses, expected) => {
    expect(corrected(limits, jobs(uses))).toEqual([['downscale', ...expected, uses.map((_use, index) => index + 1)]]);
  });

  const small: Partial<Use> = { peakMemoryBytes: GIB, peakCpuPercent: 50, seconds: MINUTE };

  it.each([
    [
      'when the saving is too small',
      { memoryBytes: 3 * GIB, numCpus: 2, runtimeSeconds: 40 * MINUTE },
      jobs([{ peakMemoryBytes: 2.5e9, peakCpuPercent: 198, seconds: 15 * MINUTE }]),
    ],
    ['when a job with these requirements failed', {}, jobs([small, { ...small, ...failed }])],
    [
      'when a job with these requirements has not ended',
      {},
      [...jobs([small]), { ...jobs([small], { id: 2 })[0]!, isCompleted: false }],
    ],
    [
      'when a job with these requirements has no result',
      {},
      [...jobs([small]), ...jobs([small], { id: 2, use: undefined })],
    ],
    ['when a job exceeded them, although it was not chosen', {}, jobs([small, { peakMemoryBytes: 9e9 }])],
  ])('requirements are not lowered: %s', (_, limits, all) => {
    expect(corrected(limits, all, { isChosen: ({ id }) => id === 1 })).toEqual([]);
  });

  it('requirements are not lowered unless that was requested', () => {
    expect(corrected({}, jobs([small]), { downsizes: false })).toEqual([]);
    expect(corrected({}, jobs([small]))).toEqual([['downscale', '2g', 1, 'PT2M', [1]]]);
  });
});
