import { greater, greatestOf, minus, plus, times } from '../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';

/** What the accounting has of a step. Memory in kilobytes, times in seconds. */
export interface StepMemory {
  readonly step: string;
  readonly begin: number;
  readonly end: number;
  readonly cpus: number;
  /** Of the task that had most. */
  readonly maxRss: Uint;
  /** The mean of the greatest values of all tasks. */
  readonly aveRss: Uint;
  readonly cpuSeconds: number;
  /** The mean of all tasks. */
  readonly aveCpuSeconds: number;
}

/**
 * The most memory that a job can have used at one moment, by what the accounting has of its steps: `MaxRSS` is that of one task, and a step may
 * have many, beside other steps.
 */
export function memoryOfSteps(steps: readonly StepMemory[]): Uint {
  const moments = steps
    .flatMap((step) => {
      const memory = memoryOf(step);
      return [
        { time: step.begin, change: memory, isEnd: false },
        { time: step.end, change: memory, isEnd: true },
      ];
    })
    // Steps that follow one another do not add up.
    .toSorted((one, other) => one.time - other.time || Number(other.isEnd) - Number(one.isEnd));
  let [now, most]: [Uint, Uint] = [0, 0];
  for (const { change, isEnd } of moments) {
    now = isEnd ? minus(now, change) : plus(now, change);
    most = greater(most, now);
  }
  return greater(
    most,
    greatestOf(steps, ({ maxRss }) => maxRss),
  );
}

/** The number of its tasks is not recorded. The time of all of them, by the mean, is as many times that; without times each CPU may have one. */
function memoryOf({ step, cpus, maxRss, aveRss, cpuSeconds, aveCpuSeconds }: StepMemory): Uint {
  // The script, and what stands for a job on each node, are one task.
  const most = /^\d+$/.test(step) ? Math.max(1, cpus) : 1;
  const tasks = aveCpuSeconds > 0 ? Math.min(most, Math.max(1, Math.round(cpuSeconds / aveCpuSeconds))) : most;
  return greater(maxRss, times(aveRss || maxRss, tasks));
}
