import { describe, expect, it } from 'vitest';
import { lackOf, lacksAnything, type Limits, measuredOf, type Use, useOf } from './resource-use.ts';

const GIB = 2 ** 30;
const limits: Limits = { memoryBytes: 2 * GIB, numCpus: 2, runtimeSeconds: 1800 };
const failed: Use = {
  isSuccess: false,
  causeCode: undefined,
  isEndedForTime: false,
  mayBeMemory: false,
  seconds: 60,
  peakMemoryBytes: undefined,
  peakCpuPercent: undefined,
};
const good: Use = { ...failed, isSuccess: true };
const nothing = { memory: undefined, timeout: false, timeoutReason: undefined, cpu: false, runtime: false };

it('a job that completed lacked nothing, whatever its return code', () => {
  const end = { seconds: 60, peakMemoryBytes: undefined, peakCpuPercent: undefined, causeCode: undefined };
  for (const returnCode of [0, 3, 137, 152]) {
    const use = useOf({ ...end, status: 'completed', returnCode }, { memory: 137, time: 152 });
    expect([use.isSuccess, lackOf(limits, use)]).toEqual([true, nothing]);
  }
});

describe('a failed job lacked', () => {
  it.each([
    ['memory, when the measured use exceeds its limit', { peakMemoryBytes: 3e9 }, { memory: 'memory_exceeded' }],
    ['nothing, when the measured use equals its limit', { peakMemoryBytes: 2 * GIB }, {}],
    ['memory, when it was killed early', { mayBeMemory: true, seconds: 162 }, { memory: 'sigkill_137' }],
    ['nothing known, when it was killed later', { mayBeMemory: true, seconds: 1530 }, {}],
    ['time, when it was killed near its time limit', { mayBeMemory: true, seconds: 1700 }, { timeout: true }],
    ['time, when its return code says so', { isEndedForTime: true }, { timeout: true, timeoutReason: 'sigxcpu_152' }],
    ['time, when it failed near its time limit', { seconds: 1700 }, { timeout: true }],
    [
      'time, as timeout and as runtime, when it exceeded its time limit',
      { seconds: 1900 },
      { timeout: true, runtime: true },
    ],
    ['CPUs, when it used more', { peakCpuPercent: 350 }, { cpu: true }],
    ['CPUs, when it used more than it had', { peakCpuPercent: 200 }, {}],
    ['nothing, when it used as many CPUs as it had', {}, {}],
  ])('a failed job lacked %s', (_, use, lack) => {
    expect(lackOf(limits, { ...failed, ...use })).toEqual({ ...nothing, ...lack });
  });

  it('a job that was killed lacked memory when its time is unknown', () => {
    const unreadable = { ...limits, runtimeSeconds: undefined };
    expect(lackOf(unreadable, { ...failed, mayBeMemory: true, seconds: 99_999 })).toEqual({
      ...nothing,
      memory: 'sigkill_137',
    });
  });
});

describe('the return code of jobs that are ended for their time', () => {
  const codes = { memory: 137, time: 152 };
  const end = { returnCode: 152, seconds: 60, peakMemoryBytes: undefined, peakCpuPercent: undefined };

  it('a job lacked time if it has the code for time and no other cause', () => {
    expect(useOf({ ...end, status: 'terminated', causeCode: 'time' }, codes).isEndedForTime).toBe(true);
    expect(useOf({ ...end, status: 'failed', causeCode: undefined }, codes).isEndedForTime).toBe(true);
  });

  it('a command that ended with the code for time by itself lacked none: more would not help', () => {
    expect(useOf({ ...end, status: 'failed', causeCode: 'signal' }, codes).isEndedForTime).toBe(false);
    expect(
      useOf({ ...end, status: 'failed', returnCode: 200, causeCode: 'exit' }, { memory: 201, time: 200 })
        .isEndedForTime,
    ).toBe(false);
  });
});

describe('a successful job lacked', () => {
  it.each([
    [
      'what it used beyond its limits',
      { peakMemoryBytes: 3e9, peakCpuPercent: 350 },
      { memory: 'memory_exceeded', cpu: true },
    ],
    ['time without a timeout, when it took longer', { seconds: 2700 }, { runtime: true }],
    ['nothing, when it took nearly all of its time', { seconds: 1750 }, {}],
  ])('a successful job lacked %s', (_, use, lack) => {
    const found = lackOf(limits, { ...good, ...use });
    expect(found).toEqual({ ...nothing, ...lack });
    expect(lacksAnything(found)).toBe(Object.keys(lack).length > 0);
  });
});

describe('the measured use', () => {
  it('the measured use is listed beside the limit, with the excess in percent', () => {
    const use = { ...good, seconds: 900, peakMemoryBytes: 3e9, peakCpuPercent: 350 };
    expect(measuredOf(limits, use).map(({ resource, overPercent }) => [resource, overPercent.toFixed(1)])).toEqual([
      ['Memory', '39.7'],
      ['CPU', '75.0'],
      ['Runtime', '-50.0'],
    ]);
  });

  it('a resource without samples is not listed', () => {
    const use = { ...good, peakMemoryBytes: 0, peakCpuPercent: undefined };
    expect(measuredOf(limits, use).map(({ resource }) => resource)).toEqual(['Runtime']);
    expect(measuredOf({ ...limits, runtimeSeconds: undefined }, use)).toEqual([]);
  });
});

it('a job that was ended at its timeout lacked no time that a correction could give, and one that ended for its runner did', () => {
  const end = {
    status: 'terminated',
    returnCode: 152,
    causeCode: 'time',
    seconds: 120,
    peakMemoryBytes: undefined,
    peakCpuPercent: undefined,
  } as const;
  const codes = { memory: 137, time: 152 };
  const limited = { memoryBytes: 2 ** 30, numCpus: 1, runtimeSeconds: 60 };
  const own = { seconds: 120, setBy: 'timeout: PT2M', isRequest: false };
  const lacks = (timeout: Parameters<typeof useOf>[2]) => lackOf(limited, useOf(end, codes, timeout));
  expect(lacks(own)).toMatchObject({ timeout: false, timeoutReason: undefined, runtime: false });
  expect(lacks(undefined)).toMatchObject({ timeout: true, timeoutReason: 'sigxcpu_152', runtime: true });
  expect(lacks({ ...own, isRequest: true })).toMatchObject({ timeout: true, runtime: true });
});
