import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProcessSample } from '../cluster/host/proc.ts';
import type { TreeUse } from '../cluster/host/process-tree.ts';
import { memoryLimitOf } from './monitor/memory-limit.ts';
import { createWatch, type JobSample, type Violation, type WatchedJob, type WatchOptions } from './watch.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));

const jobOf = (id: number, memory = 1000, requirements = 5): WatchedJob => ({
  id,
  attempt_id: 1,
  name: `job ${id}`,
  resource_requirements_id: requirements,
  need: { num_cpus: 1, memory_bytes: memory, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
});

const member = (pid: number): ProcessSample => ({
  pid,
  parentPid: 1,
  groupId: pid,
  sessionId: pid,
  state: 'S',
  startTicks: 1,
  cpuSeconds: 0,
  waitedCpuSeconds: 0,
  residentBytes: 0,
});

/** A monitor over a machine whose processes are those in `uses`. */
function watchOver(options: Partial<WatchOptions> = {}) {
  const uses = new Map<number, TreeUse>();
  const samples: JobSample[] = [];
  const violations: Violation[] = [];
  const looks = vi.fn((roots: ReadonlySet<number>) => new Map([...uses].filter(([root]) => roots.has(root))));
  const watch = createWatch({
    intervalSeconds: 10,
    look: looks,
    peakOf: () => undefined,
    memoryOf: () => Promise.resolve(Infinity),
    limitOf: (job) => memoryLimitOf(job, 1),
    onSample: (sample) => samples.push(sample),
    onViolation: (violation) => violations.push(violation),
    ...options,
  });
  onTestFinished(() => {
    watch.close();
    vi.useRealTimers();
  });
  const use = (root: number, residentBytes: number, cpuSeconds = 0, pids = [root]) =>
    void uses.set(root, { members: pids.map(member), residentBytes, cpuSeconds });
  const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
  return { watch, use, wait, samples, violations, looks };
}

describe('a monitored job', () => {
  it('a job is sampled soon after its start, then at the interval', async () => {
    const { watch, use, wait, samples } = watchOver();
    watch.begin(7, jobOf(1));
    use(7, 100);
    await wait(36);
    expect(samples.map(({ atMs }) => atMs / 1000)).toEqual([0.5, 2, 5, 10, 20, 30]);
  });

  it('a job is sampled soon after its start also if others were sampled just before', async () => {
    const { watch, use, wait, samples } = watchOver();
    watch.begin(7, jobOf(1));
    use(7, 100);
    await wait(0.4);
    watch.begin(8, jobOf(2));
    use(8, 100);
    await wait(1);
    expect(samples.map(({ job, atMs }) => [job.id, atMs])).toEqual([
      [1, 500],
      [2, 500],
      [1, 1000],
      [2, 1000],
    ]);
  });

  it('the monitor wakes the runner only for samples, and not for an ended job', async () => {
    const { watch, use, wait, looks } = watchOver();
    watch.begin(7, jobOf(1));
    use(7, 100);
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
    watch.end(7);
    await wait(10);
    expect(vi.getTimerCount()).toBe(0);
    vi.restoreAllMocks();
  });

  it('a job has peak and mean of its memory, and its CPU use between samples', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1 });
    watch.begin(7, jobOf(1));
    use(7, 100, 1);
    await wait(0.5);
    use(7, 300, 3);
    await wait(0.5);
    expect(samples.map(({ cpuPercent, memoryBytes }) => [cpuPercent, memoryBytes])).toEqual([
      [200, 100],
      [400, 300],
    ]);
    expect(watch.end(7)).toMatchObject({
      samples: 2,
      peakMemoryBytes: 300,
      averageMemoryBytes: 200,
      peakCpuPercent: 400,
    });
  });

  it('a job whose process ended with its CPU time has used no negative time', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1 });
    watch.begin(7, jobOf(1));
    use(7, 100, 10);
    await wait(0.5);
    use(7, 100, 4);
    await wait(1.5);
    use(7, 100, 5);
    await wait(1);
    expect(samples.every(({ cpuPercent }) => cpuPercent >= 0)).toBe(true);
    expect(watch.end(7)).toMatchObject({ cpuSeconds: 11 });
  });

  it('a job that ended before its first sample has zeros; an unmonitored one has no figures', async () => {
    const { watch, wait } = watchOver();
    watch.begin(7, jobOf(1));
    await wait(0.2);
    expect(watch.end(7)).toEqual({
      samples: 0,
      peakMemoryBytes: 0,
      averageMemoryBytes: 0,
      peakCpuPercent: 0,
      cpuSeconds: 0,
      memoryLimitBytes: 1000,
    });
    expect(watch.end(7)).toBeUndefined();
    expect(watch.end(8)).toBeUndefined();
  });

  it('a job is sampled in time also when the clock is set back', async () => {
    const { watch, use, wait, samples } = watchOver({ intervalSeconds: 1 });
    watch.begin(7, jobOf(1));
    use(7, 100);
    await wait(2);
    vi.setSystemTime(-3_600_000);
    const before = samples.length;
    await wait(2);
    expect(samples.length).toBe(before + 2);
  });

  it('an ended job costs no samples', async () => {
    const { watch, use, wait, looks } = watchOver();
    watch.begin(7, jobOf(1));
    use(7, 100);
    await wait(1);
    watch.end(7);
    looks.mockClear();
    await wait(60);
    expect(looks).not.toHaveBeenCalled();
  });

  it('a job is found by its id and attempt while it runs', () => {
    const { watch } = watchOver();
    watch.begin(7, jobOf(1));
    expect([watch.find(1, 1), watch.find(1, 2), watch.find(2, 1)]).toEqual([7, undefined, undefined]);
    watch.end(7);
    expect(watch.find(1, 1)).toBeUndefined();
  });
});

describe('a job that exceeds its memory limit', () => {
  it('a job above its limit is reported once with its use, its limit and its processes; at the limit it is not reported', async () => {
    const { watch, use, wait, violations } = watchOver({ intervalSeconds: 1 });
    watch.begin(7, jobOf(1, 1000));
    watch.begin(8, jobOf(2, 1000));
    use(7, 1001);
    use(8, 1000);
    await wait(5);
    expect(violations).toMatchObject([{ job: { id: 1 }, pid: 7, memoryBytes: 1001, limitBytes: 1000 }]);
    expect(violations[0]?.members()).toEqual([7]);
  });

  it('a job with default requirements, or with memory 0, has no limit', async () => {
    const { watch, use, wait, violations } = watchOver();
    watch.begin(7, jobOf(1, 1000, 1));
    watch.begin(8, jobOf(2, 0));
    use(7, 5000);
    use(8, 5000);
    await wait(20);
    expect(violations).toEqual([]);
  });

  it('before a job is reported its memory is measured precisely, because its processes may share memory', async () => {
    const asked: (readonly number[])[] = [];
    const answers = [900, 1200, 1200, 1200];
    const { watch, use, wait, violations, samples } = watchOver({
      intervalSeconds: 10,
      memoryOf: (pids) => {
        asked.push(pids);
        return Promise.resolve(answers.shift() ?? 0);
      },
    });
    watch.begin(7, jobOf(1, 1000));
    use(7, 1800, 0, [7, 70]);
    await wait(1);
    expect([asked, violations, samples.map(({ memoryBytes }) => memoryBytes)]).toEqual([[[7, 70]], [], [900]]);
    // It exceeds the limit now, but only regular samples enforce limits.
    await wait(1.5);
    expect(violations).toEqual([]);
    await wait(8);
    expect(violations).toMatchObject([{ memoryBytes: 1200 }]);
    expect(watch.end(7)).toMatchObject({ peakMemoryBytes: 1200 });
  });

  it('a job that ended during the precise measurement is not reported', async () => {
    let answer: (bytes: number) => void = () => {};
    const { watch, use, wait, violations } = watchOver({
      memoryOf: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    watch.begin(7, jobOf(1, 1000));
    use(7, 1800, 0, [7, 70]);
    await wait(1);
    watch.end(7);
    answer(5000);
    await wait(1);
    expect(violations).toEqual([]);
  });
});
