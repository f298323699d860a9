import { describe, expect, it } from 'vitest';
import { recordedUseOf, recordedOf } from './result.ts';

const unseen = { samples: 0, peakMemoryBytes: 0, averageMemoryBytes: 0, peakCpuPercent: 0, cpuSeconds: 0 };

describe('the measured figures of an attempt', () => {
  it('without monitoring the figures are those of the kernel', () => {
    expect(recordedUseOf({ cpuSeconds: 3, peakBytes: 500 }, 2, undefined)).toEqual({
      avg_cpu_percent: 150,
      peak_cpu_percent: 150,
      peak_memory_bytes: 500,
    });
    expect(recordedUseOf({ cpuSeconds: undefined, peakBytes: undefined }, 2, undefined)).toEqual({});
  });

  it('a monitored attempt that was too short for a sample has only the figures of the kernel, and none that is 0', () => {
    expect(recordedUseOf({ cpuSeconds: undefined, peakBytes: undefined }, 2, unseen)).toEqual({});
    expect(recordedUseOf({ cpuSeconds: 1, peakBytes: undefined }, 2, unseen)).toEqual({
      avg_cpu_percent: 50,
      peak_cpu_percent: 50,
    });
  });

  it('a sampled attempt that used no CPU time has 0 percent, because that was measured', () => {
    const idle = { ...unseen, samples: 2, peakMemoryBytes: 900, averageMemoryBytes: 900 };
    expect(recordedUseOf({ cpuSeconds: undefined, peakBytes: undefined }, 2, idle)).toEqual({
      avg_cpu_percent: 0,
      peak_cpu_percent: 0,
      peak_memory_bytes: 900,
      avg_memory_bytes: 900,
    });
  });

  it('the first figure of a step that ended before the second one is its peak of memory', () => {
    const first = { ...unseen, peakMemoryBytes: 900 };
    expect(recordedUseOf({ cpuSeconds: undefined, peakBytes: undefined }, 2, first)).toEqual({
      peak_memory_bytes: 900,
    });
  });

  it('the peak is the higher one of samples and kernel, and the kernel’s CPU time precedes that of samples', () => {
    const seen = { samples: 3, peakMemoryBytes: 900, averageMemoryBytes: 600, peakCpuPercent: 80, cpuSeconds: 1 };
    expect(recordedUseOf({ cpuSeconds: 2, peakBytes: 500 }, 2, seen)).toEqual({
      avg_cpu_percent: 100,
      peak_cpu_percent: 100,
      peak_memory_bytes: 900,
      avg_memory_bytes: 600,
    });
    expect(recordedUseOf({ cpuSeconds: undefined, peakBytes: undefined }, 2, seen)).toMatchObject({
      avg_cpu_percent: 50,
      peak_cpu_percent: 80,
    });
  });
});

describe('the record of an attempt', () => {
  const account = { exitCode: 1, signal: undefined, cpuSeconds: 3, peakBytes: undefined, cause: 'its node is gone' };

  it('an attempt inside a step of Slurm is recorded with that step and with its own figures', () => {
    const stats = { slurm_job_id: '12', slurm_step: '12.0', node_list: 'n1' };
    const figures = { peak_memory_bytes: 500 };
    expect(recordedOf({ ...account, stats }, figures, {}).slurm_stats).toEqual({
      ...stats,
      max_rss_bytes: 500,
      ave_cpu_seconds: 3,
    });
    expect(recordedOf(account, figures, {})).not.toHaveProperty('slurm_stats');
  });

  it('an attempt that was a step of Slurm is recorded with what the accounting has of it, and with no figure of our own', () => {
    const stats = { slurm_job_id: '12', max_vm_size_bytes: 7, node_list: 'n1' };
    const recorded = recordedOf({ ...account, stats }, { peak_memory_bytes: 500 }, {});
    expect(recorded.slurm_stats).toEqual(stats);
  });
});
