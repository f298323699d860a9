import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { NodeLoad } from '../../cluster/host/node-load.ts';
import { type NodeMeasurement, type NodeWatchOptions, watchNode } from './node-watch.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));

/** A monitor of a machine with the given load in each sample; the first sample is the baseline for the others. */
function watchOver(loads: readonly (NodeLoad | Error)[], options: Partial<NodeWatchOptions> = {}) {
  const left = [...loads];
  const samples: NodeMeasurement[] = [];
  const reasons: string[] = [];
  const watch = watchNode({
    intervalSeconds: 10,
    cpu: true,
    memory: true,
    now: Date.now,
    look: () => {
      const next = left.shift() ?? load(0, 0);
      if (next instanceof Error) throw next;
      return next;
    },
    onSample: (sample) => samples.push(sample),
    onUnable: (reason) => reasons.push(reason),
    ...options,
  });
  onTestFinished(() => void vi.useRealTimers());
  return { watch, samples, reasons, wait: (seconds: number) => vi.advanceTimersByTime(seconds * 1000) };
}

const load = (cpuPercent: number | undefined, memoryBytes: number): NodeLoad => ({
  cpuPercent,
  memoryBytes,
  totalMemoryBytes: 1000,
});

describe('a monitored node', () => {
  it('a node has a sample at each interval and one at the end, with peaks and averages', () => {
    const { watch, samples, wait } = watchOver([load(undefined, 0), load(10, 100), load(30, 300)]);
    wait(10);
    wait(5);
    expect(watch.close()).toEqual({
      sample_count: 2,
      peak_cpu_percent: 30,
      avg_cpu_percent: 20,
      peak_memory_bytes: 300,
      avg_memory_bytes: 200,
    });
    expect(samples.map(({ atMs, totalMemoryBytes }) => [atMs, totalMemoryBytes])).toEqual([
      [10_000, 1000],
      [15_000, 1000],
    ]);
    wait(60);
    expect(samples).toHaveLength(2);
  });

  it('a node is sampled once a month with an interval of a month', () => {
    const month = 30 * 86_400;
    const { watch, samples, wait } = watchOver([], { intervalSeconds: month });
    wait(month - 1);
    expect(samples).toHaveLength(0);
    wait(1);
    expect(samples).toHaveLength(1);
    watch.close();
  });

  it('a node has only the requested figures', () => {
    const { watch, samples } = watchOver([load(undefined, 0), load(10, 100)], { cpu: false });
    expect(watch.close()).toEqual({ sample_count: 1, peak_memory_bytes: 100, avg_memory_bytes: 100 });
    expect(samples).toMatchObject([{ cpuPercent: undefined, memoryBytes: 100 }]);
  });

  it('a node that cannot be sampled is reported once', () => {
    const { watch, reasons, wait } = watchOver([new Error('no /proc here')]);
    wait(60);
    expect(watch.close()).toEqual({ sample_count: 0 });
    expect(reasons).toEqual(['no /proc here']);
  });
});
