import { AmountMean, greatestOf, meanOf, minus, plus, rounded, sumOf } from '../../../core/contract/sonar/amounts.ts';
import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import { cpuUtilPercent, performanceState } from '../../../core/contract/sonar/conventions.ts';
import { formatTimestamp } from '../../../core/contract/sonar/timestamp.ts';
import type { CardSample, DiskSample, ProcessCard, SampleSum } from '../../store/rows/samples.ts';
import type { Points } from './request.ts';

/**
 * Series of points: each stands for an interval that begins at a multiple of the resolution, and has averages over the samples in it.
 * Intervals without samples have no point.
 */

const beginOf = (time: number, resolutionSeconds: number): number =>
  Math.floor(time / resolutionSeconds) * resolutionSeconds;

/** Groups what arrives in the order of time into intervals. */
class Intervals<Item, Point> {
  readonly #done: Point[] = [];
  readonly #resolution: number;
  readonly #points: Points;
  readonly #toPoint: (items: readonly Item[], begin: number) => Point;
  #begin = -1;
  #open: Item[] = [];

  constructor(resolution: number, points: Points, toPoint: (items: readonly Item[], begin: number) => Point) {
    this.#resolution = resolution;
    this.#points = points;
    this.#toPoint = toPoint;
  }

  add(time: number, item: Item): void {
    const begin = beginOf(time, this.#resolution);
    if (begin !== this.#begin) this.#close();
    this.#begin = begin;
    this.#open.push(item);
  }

  #close(): void {
    if (this.#open.length === 0) return;
    this.#points.add();
    this.#done.push(this.#toPoint(this.#open, this.#begin));
    this.#open = [];
  }

  end(): readonly Point[] {
    this.#close();
    return this.#done;
  }
}

const mean = <Item>(items: readonly Item[], value: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + value(item), 0) / items.length;
const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** What processes used in an interval: the sums over them, as an average over the samples. */
export interface ProcessPoint {
  readonly time: string;
  readonly memory_resident: Uint;
  readonly memory_virtual: Uint;
  readonly memory_util: number;
  readonly cpu_avg: number;
  readonly cpu_util: number;
  readonly cpu_time: Uint;
  readonly processes_avg: number;
}

/** Processes of a node, of a job on a node, or one process. `memoryKb` is what the node has; 0 if it is unknown. */
export function processSeries(resolution: number, points: Points, memoryKb: Uint): Intervals<SampleSum, ProcessPoint> {
  return new Intervals(resolution, points, (sums, begin) => {
    const resident = meanOf(sums, ({ rssKb }) => rssKb);
    return {
      time: formatTimestamp(begin),
      memory_resident: rounded(resident),
      memory_virtual: rounded(meanOf(sums, ({ vmKb }) => vmKb)),
      memory_util: memoryKb > 0 ? thousandths((100 * Number(resident)) / Number(memoryKb)) : 0,
      cpu_avg: thousandths(mean(sums, ({ cpuAvg }) => cpuAvg)),
      cpu_util: thousandths(mean(sums, ({ meta, cpuUtil }) => cpuUtilPercent(meta, cpuUtil))),
      cpu_time: rounded(meanOf(sums, ({ cpuTime }) => cpuTime)),
      processes_avg: thousandths(mean(sums, ({ processes }) => processes)),
    };
  });
}

/** What processes used of one card. */
export interface ProcessCardPoint {
  readonly time: string;
  readonly gpu_memory: Uint;
  readonly gpu_util: number;
  readonly gpu_memory_util: number;
  readonly pids: readonly unknown[];
}

export const processCardSeries = (resolution: number, points: Points): Intervals<ProcessCard, ProcessCardPoint> =>
  new Intervals(resolution, points, processCardPoint);

export function processCardPoint(uses: readonly ProcessCard[], begin: number): ProcessCardPoint {
  // Several processes use a card at once: they add up, and samples are averaged.
  const byTime = Map.groupBy(uses, ({ time }) => time);
  const samples = byTime.size;
  const memory = new AmountMean([...byTime.values()].map((of) => [sumOf(of, ({ memoryKb }) => memoryKb), 1]));
  const sum = (value: (use: ProcessCard) => number) => uses.reduce((total, use) => total + value(use), 0) / samples;
  const pids = [...new Set(uses.map(({ pid }) => pid))];
  return {
    time: formatTimestamp(begin),
    gpu_memory: rounded(memory.value ?? 0),
    gpu_util: thousandths(sum(({ utilPercent }) => utilPercent)),
    gpu_memory_util: thousandths(sum(({ memoryPercent }) => memoryPercent)),
    pids: pids.toSorted((one, other) => (one < other ? -1 : 1)),
  };
}

/** The state of a card: figures are averages, words the latest ones, and a failure is shown if there was one. */
export const cardSeries = (resolution: number, points: Points) =>
  new Intervals(resolution, points, (states: readonly CardSample[], begin) => {
    const average = (value: (state: CardSample) => Uint) => rounded(meanOf(states, value));
    const last = states.at(-1) as CardSample;
    return {
      time: formatTimestamp(begin),
      failing: greatestOf(states, ({ failing }) => failing),
      fan: average(({ fan }) => fan),
      compute_mode: last.computeMode,
      performance_state: performanceState(last.meta, last.performance) ?? null,
      memory: average(({ memoryKb }) => memoryKb),
      memory_util: average(({ memoryPercent }) => memoryPercent),
      memory_clock: average(({ memoryClockMhz }) => memoryClockMhz),
      ce_util: average(({ utilPercent }) => utilPercent),
      ce_clock: average(({ clockMhz }) => clockMhz),
      temperature: average(({ temperature }) => temperature),
      power: average(({ powerWatts }) => powerWatts),
      power_limit: average(({ powerLimitWatts }) => powerLimitWatts),
    };
  });

/** The numbers of a line in /proc/diskstats, from the fourth. */
export const DISK_FIELDS = [
  'reads_completed',
  'reads_merged',
  'sectors_read',
  'ms_spent_reading',
  'writes_completed',
  'writes_merged',
  'sectors_written',
  'ms_spent_writing',
  'ios_currently_in_progress',
  'ms_spent_doing_ios',
  'weighted_ms_spent_doing_ios',
  'discards_completed',
  'discards_merged',
  'sectors_discarded',
  'ms_spent_discarding',
  'flush_requests_completed',
  'ms_spent_flushing',
] as const;
/** All others only rise. */
const IN_PROGRESS = DISK_FIELDS.indexOf('ios_currently_in_progress');

/** A gap that is longer leaves the interval after it unknown. */
const GREATEST_GAP_SECONDS = 3600;

/**
 * What a disk did in each interval: the rise of its counters since the last sample before the interval, and over how many
 * seconds. A boot sets counters to 0: what was before does not count. Without an earlier sample the length is 0: nothing is known.
 */
export function diskSeries(resolution: number, points: Points) {
  let before: DiskSample | undefined;
  return new Intervals(resolution, points, (samples: readonly DiskSample[], begin) => {
    const rises = DISK_FIELDS.map((): Uint => 0);
    let seconds = 0;
    for (const sample of samples) {
      const elapsed = before === undefined ? Infinity : sample.time - before.time;
      const changes = DISK_FIELDS.map((_field, at) => minus(sample.stats[at] ?? 0, before?.stats[at] ?? 0));
      const isKnown =
        elapsed > 0 &&
        elapsed <= GREATEST_GAP_SECONDS &&
        changes.every((change, at) => at === IN_PROGRESS || change >= 0);
      if (isKnown) {
        for (const [at, change] of changes.entries()) rises[at] = plus(rises[at] ?? 0, change);
        seconds += elapsed;
      }
      before = sample;
    }
    const values = DISK_FIELDS.map((field, at): [string, Uint] => [
      field,
      at === IN_PROGRESS ? (before?.stats[at] ?? 0) : (rises[at] ?? 0),
    ]);
    return { time: formatTimestamp(begin), ...Object.fromEntries(values), delta_time_in_s: seconds };
  });
}
