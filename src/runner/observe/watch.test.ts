import type { StepId } from '../../core/contract/files/job.ts';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryLimitOf } from './memory-limit.ts';
import type { StepUse, Uses } from '../step/steps.ts';
import { SPARSE_AGES_MS } from './sample-times.ts';
import { createWatch, type JobMeasurement, type Violation, type ObserveOptions } from './watch.ts';
import type { WatchedJob } from './watched.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));

const jobOf = (id: number, memory = 1000, requirements = 5): WatchedJob => ({
  id,
  attempt_id: 1,
  name: `job ${id}`,
  resource_requirements_id: requirements,
  need: { num_cpus: 1, memory_bytes: memory, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});

/** A monitor over steps whose use is that in `uses`. */
function watchOver(
  options: Partial<ObserveOptions> = {},
  exactly: StepUse['exactly'] = () => Promise.resolve(Infinity),
) {
  const uses = new Map<StepId, StepUse>();
  const samples: JobMeasurement[] = [];
  const violations: Violation[] = [];
  const looks = vi.fn((ids: ReadonlySet<StepId>): Uses => new Map([...uses].filter(([id]) => ids.has(id))));
  const watch = createWatch({
    intervalSeconds: 10,
    observe: looks,
    limitOf: (job) => memoryLimitOf(job, 1),
    onSample: (sample) => samples.push(sample),
    ...options,
  });
  watch.onViolation((violation) => violations.push(violation));
  onTestFinished(() => {
    watch.close();
    vi.useRealTimers();
  });
  const use = (id: StepId, memoryBytes: number, cpuSeconds = 0, processes = 1) =>
    void uses.set(id, { memoryBytes, cpuSeconds, processes, exactly });
  const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
  return { watch, use, wait, samples, violations, looks };
}

describe('a monitored job', () => {
  it('a job is sampled soon after its start, then at the interval', async () => {
    const { watch, use, wait, samples } = watchOver();
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(36);
    expect(samples.map(({ atMs }) => atMs / 1000)).toEqual([0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 20, 30]);
  });

  it('a job whose samples cost more is sampled less often after its start', async () => {
    const { watch, use, wait, samples } = watchOver({ agesMs: SPARSE_AGES_MS });
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(21);
    expect(samples.map(({ atMs }) => atMs / 1000)).toEqual([0.5, 2, 5, 10, 20]);
  });

  it('a job is sampled soon after its start also if others were sampled just before', async () => {
    const { watch, use, wait, samples } = watchOver();
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(0.05);
    watch.begin('b', jobOf(2));
    use('b', 100);
    await wait(0.15);
    expect(samples.map(({ job, atMs }) => [job.id, atMs])).toEqual([
      [1, 100],
      [2, 100],
      [1, 200],
      [2, 200],
    ]);
  });

  it('the monitor wakes the runner only for samples, and not for an ended job', async () => {
    const { watch, use, wait, looks } = watchOver();
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(10);
    const wakings = vi.fn();
    const real = setTimeout;
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, ms: number) =>
      real(() => {
        wakings();
        call();
      }, ms)) as typeof setTimeout);
    looks.mockClear();
    await wait(60);
    expect([looks.mock.calls.length, wakings.mock.calls.length]).toEqual([6, 5]);
    watch.end('a');
    await wait(10);
    expect(vi.getTimerCount()).toBe(0);
    vi.restoreAllMocks();
  });

  it('a job has peak and mean of its memory, and its CPU use between samples', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1, agesMs: [500] });
    watch.begin('a', jobOf(1));
    use('a', 100, 1);
    await wait(0.5);
    use('a', 300, 3);
    await wait(0.5);
    expect(samples.map(({ cpuPercent, memoryBytes }) => [cpuPercent, memoryBytes])).toEqual([
      [200, 100],
      [400, 300],
    ]);
    expect(watch.end('a')).toMatchObject({
      samples: 2,
      peakMemoryBytes: 300,
      averageMemoryBytes: 200,
      peakCpuPercent: 400,
    });
  });

  it('a job whose process ended with its CPU time has used no negative time', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1 });
    watch.begin('a', jobOf(1));
    use('a', 100, 10);
    await wait(0.5);
    use('a', 100, 4);
    await wait(1.5);
    use('a', 100, 5);
    await wait(1);
    expect(samples.every(({ cpuPercent }) => cpuPercent >= 0)).toBe(true);
    expect(watch.end('a')).toMatchObject({ cpuSeconds: 11 });
  });

  it('a job that ended before its first sample has zeros; an unmonitored one has no figures', async () => {
    const { watch, wait } = watchOver();
    watch.begin('a', jobOf(1));
    await wait(0.2);
    expect(watch.end('a')).toEqual({
      samples: 0,
      peakMemoryBytes: 0,
      averageMemoryBytes: 0,
      peakCpuPercent: 0,
      cpuSeconds: 0,
      memoryLimitBytes: 1000,
    });
    expect(watch.end('a')).toBeUndefined();
    expect(watch.end('b')).toBeUndefined();
  });

  it('a job is sampled in time also when the clock is set back', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1 });
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(2);
    vi.setSystemTime(-3_600_000);
    const before = samples.length;
    await wait(2);
    expect(samples.length).toBe(before + 2);
  });

  it('an ended job costs no samples', async () => {
    const { watch, use, wait, looks } = watchOver();
    watch.begin('a', jobOf(1));
    use('a', 100);
    await wait(1);
    watch.end('a');
    looks.mockClear();
    await wait(60);
    expect(looks).not.toHaveBeenCalled();
  });

  it('a sample that arrives late is taken then, and no other one is requested before', async () => {
    let answer: (uses: Uses) => void = () => {};
    const observe = vi.fn(() => new Promise<Uses>((resolve) => void (answer = resolve)));
    const { watch, wait, samples } = watchOver({ intervalSeconds: 1, observe });
    watch.begin('a', jobOf(1));
    await wait(7);
    expect(observe).toHaveBeenCalledOnce();
    answer(new Map([['a', { memoryBytes: 100, cpuSeconds: 14, processes: 3 }]]));
    await wait(0);
    expect(samples).toMatchObject([{ atMs: 7000, memoryBytes: 100, processes: 3, cpuPercent: 200 }]);
    await wait(1);
    expect(observe).toHaveBeenCalledTimes(2);
  });

  it('figures to compare with are no sample, but their memory counts for the peak', async () => {
    const first = { memoryBytes: 900, cpuSeconds: 100, processes: 1, isBaseline: true };
    const answers: StepUse[] = [first, { memoryBytes: 100, cpuSeconds: 101, processes: 1 }];
    const { watch, wait, samples } = watchOver({
      intervalSeconds: 1,
      agesMs: [500],
      observe: () => new Map([['a', answers.shift() ?? { memoryBytes: 100, cpuSeconds: 101, processes: 1 }]]),
    });
    watch.begin('a', jobOf(1));
    await wait(1);
    expect(samples).toMatchObject([{ cpuPercent: 200, memoryBytes: 100 }]);
    expect(watch.end('a')).toMatchObject({
      samples: 1,
      peakMemoryBytes: 900,
      averageMemoryBytes: 100,
      cpuSeconds: 101,
    });
  });

  it('a late sample of a job that has ended is not taken', async () => {
    let answer: (uses: Uses) => void = () => {};
    const { watch, wait, samples } = watchOver({
      observe: () => new Promise<Uses>((resolve) => void (answer = resolve)),
    });
    watch.begin('a', jobOf(1));
    await wait(1);
    watch.end('a');
    answer(new Map([['a', { memoryBytes: 100, cpuSeconds: 1, processes: 1 }]]));
    await wait(1);
    expect(samples).toEqual([]);
  });
});

describe('a job that exceeds its memory limit', () => {
  it('a job above its limit is reported once with its use and its limit; at the limit it is not reported', async () => {
    const { watch, use, wait, violations } = watchOver({ intervalSeconds: 1 });
    watch.begin('a', jobOf(1, 1000));
    watch.begin('b', jobOf(2, 1000));
    use('a', 1001);
    use('b', 1000);
    await wait(5);
    expect(violations).toMatchObject([{ id: 'a', job: { id: 1 }, memoryBytes: 1001, limitBytes: 1000 }]);
  });

  it('a job with default requirements, or with memory 0, has no limit', async () => {
    const { watch, use, wait, violations } = watchOver();
    watch.begin('a', jobOf(1, 1000, 1));
    watch.begin('b', jobOf(2, 0));
    use('a', 5000);
    use('b', 5000);
    await wait(20);
    expect(violations).toEqual([]);
  });

  it('before a job is reported its memory is measured precisely, because its processes may share memory', async () => {
    let asked = 0;
    const answers = [900, 1200];
    const { watch, use, wait, violations, samples } = watchOver({ intervalSeconds: 10 }, () => {
      asked += 1;
      return Promise.resolve(answers.shift() ?? 0);
    });
    watch.begin('a', jobOf(1, 1000));
    use('a', 1800, 0, 2);
    await wait(0.1);
    expect([asked, violations, samples.map(({ memoryBytes }) => memoryBytes)]).toEqual([1, [], [900]]);
    await wait(0.1);
    expect(violations).toMatchObject([{ memoryBytes: 1200 }]);
    expect(watch.end('a')).toMatchObject({ peakMemoryBytes: 1200 });
  });

  it('a job that ended during the precise measurement is not reported', async () => {
    let answer: (bytes: number) => void = () => {};
    const { watch, use, wait, violations } = watchOver(
      {},
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    watch.begin('a', jobOf(1, 1000));
    use('a', 1800, 0, 2);
    await wait(1);
    watch.end('a');
    answer(5000);
    await wait(1);
    expect(violations).toEqual([]);
  });
});
