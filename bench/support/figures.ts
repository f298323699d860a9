import { readFileSync } from 'node:fs';

/** A figure to reach: a ratio or a limit, as the project promises it. */
export interface Goal {
  readonly atLeast?: number;
  readonly atMost?: number;
}

interface Figure {
  readonly unit: string;
  readonly goal: Goal | undefined;
  readonly values: number[];
}

/**
 * Figures of several rounds: each is printed as it is found, and at the end the median of each with its range.
 *
 * The median counts: on a shared machine a round may meet a neighbour's busy minute.
 */
export function createFigures({ judges = true } = {}): {
  note(name: string, value: number, unit: string, goal?: Goal): void;
  print(): void;
} {
  const figures = new Map<string, Figure>();
  const before = processorTimes();
  return {
    note(name, value, unit, goal) {
      const figure = figures.get(name) ?? { unit, goal, values: [] };
      figure.values.push(value);
      figures.set(name, figure);
      console.log(`  ${name.padEnd(44)} ${text(value)} ${unit}`);
    },
    print() {
      const share = stolenShare(before, processorTimes());
      if (share !== undefined && share > 0.03)
        console.log(
          `${(share * 100).toFixed(0)} % of the processor time went to neighbours of this virtual machine: times are too long`,
        );
      console.log('medians (lowest to highest)');
      for (const [name, { unit, goal, values }] of figures) {
        const sorted = [...values].sort((left, right) => left - right);
        const median = sorted[Math.floor(sorted.length / 2)] as number;
        const range = values.length === 1 ? '' : ` (${text(sorted[0] as number)} to ${text(sorted.at(-1) as number)})`;
        console.log(
          `  ${name.padEnd(44)} ${text(median)} ${unit}${range}${verdict(median, judges ? goal : undefined)}`,
        );
      }
    },
  };
}

/** Whether a figure reaches its goal, as words for the end of its line. */
export function verdict(value: number, goal: Goal | undefined): string {
  if (goal === undefined) return '';
  const { atLeast = -Infinity, atMost = Infinity } = goal;
  const wanted = goal.atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return `  [${value >= atLeast && value <= atMost ? 'reached' : 'MISSED'}: ${wanted}]`;
}

/** Measures the share of the processor time that a hypervisor gives to others from now on, in percent; NaN elsewhere than on Linux. */
export function watchSteal(): () => number {
  const before = processorTimes();
  return () => 100 * (stolenShare(before, processorTimes()) ?? Number.NaN);
}

/** A number with three digits at least. */
export const text = (value: number) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Ticks of all processors since the boot, by kind; undefined elsewhere than on Linux. Source: proc_stat(5). */
function processorTimes(): readonly number[] | undefined {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    return line.split(/\s+/).slice(1).map(Number);
  } catch {
    return undefined;
  }
}

/** The share of the time in between that a hypervisor gave to others, of 1. */
function stolenShare(before: readonly number[] | undefined, after: readonly number[] | undefined): number | undefined {
  const spent = after?.map((ticks, kind) => ticks - (before?.[kind] ?? ticks));
  const sum = spent?.slice(0, 8).reduce((total, ticks) => total + ticks, 0) ?? 0;
  return sum > 0 ? (spent?.[7] ?? 0) / sum : undefined;
}
