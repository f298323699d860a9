import type { SampleProcess } from '../../../core/contract/sonar/sample.ts';
import { packUints } from '../rows/numbers.ts';

/** What the processes of a job were at one sample, in one row: a profile of a week reads 8,000 of these in place of 516,000 rows. */
export interface JobSums {
  readonly rssKb: number;
  /** Percent. */
  readonly cpuAvg: number;
  /** The pids, then the parents, then the CPU seconds, each in the order of the processes. */
  readonly counters: Uint8Array;
}

/** Fewer processes are added up as fast when they are read. */
const FEWEST = 16;

/** Undefined where the rows themselves are needed: few processes, rolled-up ones, and numbers that are no safe integers. */
export function jobSums(processes: readonly SampleProcess[]): JobSums | undefined {
  if (processes.length < FEWEST) return undefined;
  const pids = processes.map(({ pid = 0, rolledup = 0 }) => (rolledup === 0 ? pid : 0));
  const numbers = [
    ...pids,
    ...processes.map(({ ppid = 0 }) => ppid),
    ...processes.map(({ cpu_time: seconds = 0 }) => seconds),
  ];
  const memory = processes.map(({ resident_memory: rss = 0 }) => rss);
  if (pids.includes(0) || !numbers.every(isSafe) || !memory.every(isSafe)) return undefined;
  const rssKb = memory.reduce((sum, each) => sum + each, 0);
  if (!Number.isSafeInteger(rssKb)) return undefined;
  return {
    rssKb,
    cpuAvg: total(processes.map(({ cpu_avg: percent = 0 }) => percent)),
    counters: packUints(numbers) as Uint8Array,
  };
}

const isSafe = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value);

/** As SQLite adds floating-point numbers up, so that a sum is the same in every store. Source: Kahan, Babuška, Neumaier. */
function total(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) > Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}
