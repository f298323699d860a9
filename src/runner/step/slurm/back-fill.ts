import type { AccountedStep } from '../../../cluster/slurm/sacct.ts';
import type { Result } from '../../../core/contract/result.ts';

type Figures = Pick<Result, 'exec_time_minutes' | 'peak_memory_bytes' | 'peak_cpu_percent' | 'avg_cpu_percent'>;

/**
 * The figures of a result that the accounting changes; empty if it changes none.
 *
 * The peak of memory is the higher one. The mean of CPU is that of the accounting, and it is the peak as well where none was
 * seen. A 0 of the accounting says that nothing was measured, and changes nothing.
 */
export function backFill(result: Figures, row: AccountedStep): Partial<Figures> {
  const { maxRssBytes: rss = 0, aveCpuSeconds: cpu = 0 } = row;
  const seconds = result.exec_time_minutes * 60;
  const percent = cpu > 0 && seconds > 0 ? (cpu / seconds) * 100 : undefined;
  return {
    ...(rss > (result.peak_memory_bytes ?? 0) ? { peak_memory_bytes: rss } : {}),
    ...(percent === undefined ? {} : { avg_cpu_percent: percent }),
    ...(percent === undefined || (result.peak_cpu_percent ?? 0) > 0 ? {} : { peak_cpu_percent: percent }),
  };
}
