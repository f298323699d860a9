import { expect, it } from 'vitest';
import { backFill } from './stats.ts';

const MEGABYTE = 1_000_000;
const empty = {
  state: 'COMPLETED',
  maxRssBytes: undefined,
  maxVmSizeBytes: undefined,
  maxDiskReadBytes: undefined,
  maxDiskWriteBytes: undefined,
  aveCpuSeconds: undefined,
  nodeList: 'n1',
};

it.each([
  [1, 2, { peak_memory_bytes: 2 * MEGABYTE }],
  [5, 2, {}],
  [undefined, 1, { peak_memory_bytes: MEGABYTE }],
  [1, 0, {}],
  [1, undefined, {}],
  [undefined, undefined, {}],
])('a peak of %s MB and a MaxRSS of %s MB change %j', (seen, rss, changed) => {
  const result = { exec_time_minutes: 2, peak_memory_bytes: seen === undefined ? undefined : seen * MEGABYTE };
  expect(backFill(result, { ...empty, maxRssBytes: rss === undefined ? undefined : rss * MEGABYTE })).toEqual(changed);
});

it.each([
  [2, 120, undefined, { avg_cpu_percent: 100, peak_cpu_percent: 100 }],
  [2, 120, 0, { avg_cpu_percent: 100, peak_cpu_percent: 100 }],
  [2, 120, 200, { avg_cpu_percent: 100 }],
  [2, 0, 200, {}],
  [2, undefined, 200, {}],
  [0, 120, 200, {}],
])('of %s min with an AveCPU of %s s and a seen peak of %s percent, %j is changed', (minutes, cpu, peak, changed) => {
  expect(backFill({ exec_time_minutes: minutes, peak_cpu_percent: peak }, { ...empty, aveCpuSeconds: cpu })).toEqual(
    changed,
  );
});

it.each([
  [undefined, 7, { peak_gpu_memory_bytes: 7 }],
  [9, 7, {}],
  [9, undefined, {}],
])('a GPU memory of %s and one of %s in the accounting change %j', (seen, bytes, changed) => {
  const result = { exec_time_minutes: 2, peak_gpu_memory_bytes: seen };
  expect(backFill(result, { ...empty, peakGpuBytes: bytes })).toEqual(changed);
});

it('the accounting changes neither the mean of memory, which it does not have, nor the time that the runner measured', () => {
  const result = { exec_time_minutes: 1, peak_memory_bytes: 1, avg_memory_bytes: 1, return_code: 3 };
  const row = { ...empty, maxRssBytes: 9, aveCpuSeconds: 30 };
  expect({ ...result, ...backFill(result, row) }).toEqual({
    ...result,
    peak_memory_bytes: 9,
    avg_cpu_percent: 50,
    peak_cpu_percent: 50,
  });
});
