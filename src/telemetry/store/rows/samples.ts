import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import {
  amountCell,
  type CellsOfRow,
  floatCell,
  items,
  numberCell,
  optional,
  signed,
  textCell,
  uint,
  uints,
} from './cells.ts';
import { metaOf } from './metas.ts';
import { fromStoredJson, unpackUints } from './numbers.ts';

/** Rows of samples, as stores give them: of processes and what they add up to, and of nodes with their cards and disks. */

/** A row as `read` gives it; the number of its envelope is for stores alone. */
type RowOf<Read extends (...given: never) => { readonly envelope: number }> = Readonly<
  Omit<ReturnType<Read>, 'envelope'>
>;

/** With the number of its envelope: rows of one instant are in the order in which they were stored. */
export type InEnvelopeOrder<Row> = Row & { readonly envelope: number };

/** Names of users and commands by their numbers, where rows have these. */
export type NamesByNumber = Readonly<Record<'user' | 'cmd', ReadonlyMap<number, string>>>;
const nameOf = (row: CellsOfRow, column: 'user' | 'cmd', names: NamesByNumber | undefined): string => {
  const cell = row[column];
  return typeof cell === 'number' ? (names?.[column].get(cell) ?? '') : textCell(row, column);
};

const ofSample = (row: CellsOfRow, cluster: string) => ({
  envelope: numberCell(row, 'id'),
  time: numberCell(row, 'time'),
  cluster,
  node: textCell(row, 'node'),
});
const ofJob = (row: CellsOfRow) => ({ job: uint(row, 'job') ?? 0, epoch: uint(row, 'epoch') ?? 0 });

/** A time on a node. */
export type OnNode = RowOf<typeof ofSample>;

/** One process of one sample. */
export function processOf(row: CellsOfRow, cluster: string, names?: NamesByNumber) {
  const isProcess = row['ord'] !== null;
  return {
    envelope: numberCell(row, 'id'),
    time: numberCell(row, 'time'),
    cluster,
    node: textCell(row, 'node'),
    user: nameOf(row, 'user', names),
    job: uint(row, 'job') ?? 0,
    epoch: uint(row, 'epoch') ?? 0,
    /** The place of the entry among the jobs of the sample. */
    slot: numberCell(row, 'slot'),
    /** Undefined for an entry of a job that has no process. */
    ord: isProcess ? numberCell(row, 'ord') : undefined,
    pid: uint(row, 'pid') ?? 0,
    ppid: uint(row, 'ppid') ?? 0,
    cmd: nameOf(row, 'cmd', names),
    rssKb: uint(row, 'rss') ?? 0,
    cpuTime: uint(row, 'cpu_time') ?? 0,
    cpuAvg: floatCell(row, 'cpu_avg'),
    processes: isProcess ? 1 + Math.max(0, numberCell(row, 'rolledup')) : 0,
    gpuUtil: numberCell(row, 'gpu_util'),
    gpuMemoryKb: amountCell(row, 'gpu_memory'),
    /** Cards by their uuids, separated by blanks. */
    cards: textCell(row, 'cards'),
  };
}
export type ProcessRow = Readonly<ReturnType<typeof processOf>>;

export type SumsBy = 'node' | 'job' | 'process';

/** Sums over processes of one sample. Job, epoch and user are those of a job, pid, ppid and command those of a process. */
export const sampleSumOf = (row: CellsOfRow, cluster: string, names?: NamesByNumber) => ({
  ...ofSample(row, cluster),
  meta: metaOf(textCell(row, 'source')),
  ...ofJob(row),
  user: nameOf(row, 'user', names),
  pid: uint(row, 'pid') ?? 0,
  ppid: uint(row, 'ppid') ?? 0,
  cmd: nameOf(row, 'cmd', names),
  processes: numberCell(row, 'processes'),
  rssKb: amountCell(row, 'rss'),
  vmKb: amountCell(row, 'vm'),
  threads: amountCell(row, 'threads'),
  cpuAvg: numberCell(row, 'cpu_avg'),
  /** As it was sent: what it means depends on the producer. */
  cpuUtil: numberCell(row, 'cpu_util'),
  cpuTime: amountCell(row, 'cpu_time'),
  readKb: amountCell(row, 'data_read'),
  writtenKb: amountCell(row, 'data_written'),
  cancelledKb: amountCell(row, 'data_cancelled'),
});
export type SampleSum = RowOf<typeof sampleSumOf>;

/** What one process uses of one card. */
export const processCardOf = (row: CellsOfRow, cluster: string) => ({
  ...ofSample(row, cluster),
  ...ofJob(row),
  pid: uint(row, 'pid') ?? 0,
  uuid: textCell(row, 'uuid'),
  utilPercent: floatCell(row, 'util'),
  memoryKb: uint(row, 'memory') ?? 0,
  memoryPercent: floatCell(row, 'memory_util'),
});
export type ProcessCard = RowOf<typeof processCardOf>;

export const sampleTimeOf = (row: CellsOfRow, cluster: string) => ({
  ...ofSample(row, cluster),
  boot: optional(row, 'boot'),
});
export type SampleTime = RowOf<typeof sampleTimeOf>;

export const nodeSampleOf = (row: CellsOfRow, cluster: string) => ({
  ...ofSample(row, cluster),
  usedMemoryKb: uint(row, 'used_memory') ?? 0,
  /** Since boot, of each core. */
  cpuSeconds: uints(row, 'cpus') as readonly Uint[],
  load1: floatCell(row, 'load1'),
  cards: numberCell(row, 'cards'),
  /** The average of the cards. */
  gpuUtil: optional(row, 'gpu_util'),
  gpuMemoryKb: amountCell(row, 'gpu_memory'),
});
export type NodeSampleRow = RowOf<typeof nodeSampleOf>;

export const cardOf = (row: CellsOfRow, cluster: string) => {
  const value = (name: string) => uint(row, name) ?? 0;
  return {
    ...ofSample(row, cluster),
    uuid: textCell(row, 'uuid'),
    index: value('idx'),
    failing: value('failing'),
    fan: value('fan'),
    memoryKb: value('memory'),
    utilPercent: value('ce_util'),
    memoryPercent: value('memory_util'),
    temperature: signed(row, 'temperature') ?? 0,
    powerWatts: value('power'),
    powerLimitWatts: value('power_limit'),
    computeMode: textCell(row, 'mode'),
    clockMhz: value('ce_clock'),
    memoryClockMhz: value('memory_clock'),
    /** As it was sent: what it means depends on the producer. */
    performance: uint(row, 'performance'),
    meta: metaOf(textCell(row, 'source')),
  };
};
export type CardSample = RowOf<typeof cardOf>;

export const diskOf = (row: CellsOfRow, cluster: string) => ({
  ...ofSample(row, cluster),
  disk: textCell(row, 'disk'),
  major: uint(row, 'major') ?? 0,
  minor: uint(row, 'minor') ?? 0,
  /** As in /proc/diskstats. */
  stats: uints(row, 'stats') as readonly Uint[],
});
export type DiskSample = RowOf<typeof diskOf>;

/** One entry of a job in a sample: sums over its processes, and their counters in the order of the processes. */
export const jobSampleOf = (row: CellsOfRow, cluster: string, names?: NamesByNumber) => ({
  ...ofSample(row, cluster),
  user: nameOf(row, 'user', names),
  ...ofJob(row),
  slot: numberCell(row, 'slot'),
  gpuUtil: numberCell(row, 'gpu_util'),
  gpuMemoryKb: amountCell(row, 'gpu_memory'),
  ...(row['counters'] instanceof Uint8Array ? storedSumsOf(row, unpackUints(row['counters'])) : sumsOfProcesses(row)),
});
export type JobSampleRow = Readonly<ReturnType<typeof jobSampleOf>>;

interface ProcessSums extends Pick<ProcessRow, 'processes' | 'rssKb' | 'cpuAvg'> {
  /** What identifies each process: its pid or, of processes that were rolled up, `0`, the pid of the parent and the command. */
  readonly names: readonly (Uint | string)[];
  readonly ppids: readonly Uint[];
  readonly cpuTimes: readonly Uint[];
}

/** What was added up when a sample of many processes was stored. */
function storedSumsOf(row: CellsOfRow, counters: readonly Uint[]): ProcessSums {
  const processes = counters.length / 3;
  return {
    processes,
    rssKb: numberCell(row, 'stored_rss'),
    cpuAvg: numberCell(row, 'stored_cpu_avg'),
    names: counters.slice(0, processes),
    ppids: counters.slice(processes, 2 * processes),
    cpuTimes: counters.slice(2 * processes),
  };
}

/** Where lists may be in any order, they come with the places of the processes as `ords`. */
function sumsOfProcesses(row: CellsOfRow): ProcessSums {
  const ords = items(row, 'ords');
  const list = (column: string) => inOrder(items(row, column).map(counterOf), ords);
  return {
    processes: numberCell(row, 'processes'),
    rssKb: amountCell(row, 'rss'),
    cpuAvg: numberCell(row, 'cpu_avg'),
    names: list('names'),
    ppids: list('ppids') as Uint[],
    cpuTimes: list('cpu_times') as Uint[],
  };
}

/** Rolled-up processes have a text that begins with 0 in place of a pid. */
const counterOf = (cell: unknown): Uint | string =>
  typeof cell === 'string' && cell.startsWith('0 ') ? cell : fromStoredJson(cell as Uint | string);

function inOrder<Item>(list: readonly Item[], ords: readonly unknown[]): readonly Item[] {
  if (ords.every((ord, at) => at === 0 || Number(ords[at - 1]) < Number(ord))) return list;
  const placed = list.map((item, at) => ({ item, ord: Number(ords[at]) }));
  return placed.toSorted((one, other) => one.ord - other.ord).map(({ item }) => item);
}

export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of rows of nodes. */
export const byNodeAndTime = (one: OnNode, other: OnNode): number =>
  compareText(one.cluster, other.cluster) || compareText(one.node, other.node) || one.time - other.time;
