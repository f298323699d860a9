import { describe, expect, it } from 'vitest';
import { stepIdOf } from '../../core/contract/files/job.ts';
import { addUse, newlyWatched, observedOf } from './watched.ts';

const job = {
  id: 1,
  attempt_id: 1,
  name: 'a',
  need: { num_cpus: 1, memory_bytes: 100, num_gpus: 0, num_nodes: 1, runtime_seconds: 60 },
};
const begun = () => newlyWatched(stepIdOf({ workflowId: 7, runId: 1 }, job), job, undefined, 1_000);
const use = (cpuSeconds: number, more: object = {}) => ({ cpuSeconds, memoryBytes: 0, processes: 1, ...more });

describe('the figures of a monitored job', () => {
  it('the CPU use of a sample counts from the sample before, and the highest is kept', () => {
    const each = begun();
    expect(addUse(each, use(2), 2_000, 10)).toBe(200);
    expect(addUse(each, use(2.5), 3_000, 30)).toBe(50);
    expect(observedOf(each, 100)).toEqual({
      samples: 2,
      peakMemoryBytes: 30,
      averageMemoryBytes: 20,
      peakCpuPercent: 200,
      cpuSeconds: 2.5,
      memoryLimitBytes: 100,
    });
  });

  it('CPU time that is lost with an unwaited process does not make the use negative', () => {
    const each = begun();
    addUse(each, use(2), 2_000, 10);
    expect(addUse(each, use(1), 3_000, 10)).toBe(0);
    expect(observedOf(each, undefined).cpuSeconds).toBe(2);
  });

  it('the CPU use between two figures of another machine counts by the time there, however late each arrives', () => {
    const each = begun();
    addUse(each, use(1, { measuredAtMs: 70_000 }), 4_900, 10);
    expect(addUse(each, use(2, { measuredAtMs: 71_000 }), 5_000, 10)).toBe(100);
    expect(observedOf(each, undefined).peakCpuPercent).toBe(100);
  });

  it('a figure that is only something to compare with is no sample, but its memory counts as a peak', () => {
    const each = begun();
    expect(addUse(each, use(50, { isBaseline: true }), 2_000, 40)).toBeUndefined();
    expect(addUse(each, use(51), 3_000, 10)).toBe(100);
    expect(observedOf(each, undefined)).toMatchObject({ samples: 1, peakMemoryBytes: 40 });
  });
});
