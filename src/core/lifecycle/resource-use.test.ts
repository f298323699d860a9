import { describe, expect, it } from 'vitest';
import { lackOf, lacksAnything, type Limits, measuredOf, type Use } from './resource-use.ts';

const GIB = 2 ** 30;
const limits: Limits = { memoryBytes: 2 * GIB, numCpus: 2, runtimeSeconds: 1800 };
const failed: Use = {
  isSuccess: false,
  returnCode: 1,
  seconds: 60,
  peakMemoryBytes: undefined,
  peakCpuPercent: undefined,
};
const good: Use = { ...failed, isSuccess: true, returnCode: 0 };
const nothing = { memory: undefined, timeout: false, timeoutReason: undefined, cpu: false, runtime: false };

describe('a job that failed lacked', () => {
  it.each([
    ['memory, when more was measured than it had', { peakMemoryBytes: 3e9 }, { memory: 'memory_exceeded' }],
    ['none when exactly as much was measured', { peakMemoryBytes: 2 * GIB }, {}],
    ['memory, when it was killed early', { returnCode: 137, seconds: 162 }, { memory: 'sigkill_137' }],
    ['nothing that is known, when it was killed later', { returnCode: 137, seconds: 1530 }, {}],
    ['time, when it was killed near its end', { returnCode: 137, seconds: 1700 }, { timeout: true }],
    ['time, when its code says so', { returnCode: 152 }, { timeout: true, timeoutReason: 'sigxcpu_152' }],
    ['time, when it failed near its end', { seconds: 1700 }, { timeout: true }],
    ['time twice over, when it took longer than it had', { seconds: 1900 }, { timeout: true, runtime: true }],
    ['CPUs, when it used more', { peakCpuPercent: 350 }, { cpu: true }],
    ['none when it used as many', { peakCpuPercent: 200 }, {}],
    ['nothing that is known, else', {}, {}],
  ])('%s', (_, use, lack) => {
    expect(lackOf(limits, { ...failed, ...use })).toEqual({ ...nothing, ...lack });
  });

  it('memory, when it was killed and nobody can say how early', () => {
    const unreadable = { ...limits, runtimeSeconds: undefined };
    expect(lackOf(unreadable, { ...failed, returnCode: 137, seconds: 99_999 })).toEqual({
      ...nothing,
      memory: 'sigkill_137',
    });
  });
});

describe('a job that succeeded lacked', () => {
  it.each([
    [
      'what it used too much of',
      { peakMemoryBytes: 3e9, peakCpuPercent: 350 },
      { memory: 'memory_exceeded', cpu: true },
    ],
    ['time without a timeout, when it took longer', { seconds: 2700 }, { runtime: true }],
    ['nothing, when it took nearly all of its time', { seconds: 1750 }, {}],
  ])('%s', (_, use, lack) => {
    const found = lackOf(limits, { ...good, ...use });
    expect(found).toEqual({ ...nothing, ...lack });
    expect(lacksAnything(found)).toBe(Object.keys(lack).length > 0);
  });
});

describe('what was measured', () => {
  it('stands beside what was given, with how far above', () => {
    const use = { ...good, seconds: 900, peakMemoryBytes: 3e9, peakCpuPercent: 350 };
    expect(measuredOf(limits, use).map(({ resource, overPercent }) => [resource, overPercent.toFixed(1)])).toEqual([
      ['Memory', '39.7'],
      ['CPU', '75.0'],
      ['Runtime', '-50.0'],
    ]);
  });

  it('is not there for what no sample was taken of', () => {
    const use = { ...good, peakMemoryBytes: 0, peakCpuPercent: undefined };
    expect(measuredOf(limits, use).map(({ resource }) => resource)).toEqual(['Runtime']);
    expect(measuredOf({ ...limits, runtimeSeconds: undefined }, use)).toEqual([]);
  });
});
