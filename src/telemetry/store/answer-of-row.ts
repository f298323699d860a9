import type { JobHour, NodeHour } from '../questions/rows-of-hours.ts';
import type { Link, SlurmJobRow } from '../questions/rows-of-records.ts';
import type {
  CardSample,
  DiskSample,
  JobSample,
  NodeSample,
  ProcessCard,
  ProcessRow,
  SampleSum,
  SampleTime,
} from '../questions/rows-of-samples.ts';
import { metaOf } from './metas.ts';
import { amount, type CellsOfRow, float, items, number, optional, signed, text, uint, uints } from './cells.ts';
import { fromStoredJson, unpackUints } from './numbers.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';

/** With the number of its envelope: rows of one instant are in the order in which they were stored. */
export type Ordered<Row> = Row & { readonly envelope: number };

/** Names of users and commands by their numbers, where rows have these. */
export type Names = Readonly<Record<'user' | 'cmd', ReadonlyMap<number, string>>>;
const nameOf = (row: CellsOfRow, column: 'user' | 'cmd', names: Names | undefined): string => {
  const cell = row[column];
  return typeof cell === 'number' ? (names?.[column].get(cell) ?? '') : text(row, column);
};

const ofSample = (row: CellsOfRow, cluster: string) => ({
  envelope: number(row, 'id'),
  time: number(row, 'time'),
  cluster,
  node: text(row, 'node'),
});
const ofJob = (row: CellsOfRow) => ({ job: uint(row, 'job') ?? 0, epoch: uint(row, 'epoch') ?? 0 });

export function processOf(row: CellsOfRow, cluster: string, names?: Names): ProcessRow {
  const isProcess = row['ord'] !== null;
  return {
    envelope: number(row, 'id'),
    time: number(row, 'time'),
    cluster,
    node: text(row, 'node'),
    user: nameOf(row, 'user', names),
    job: uint(row, 'job') ?? 0,
    epoch: uint(row, 'epoch') ?? 0,
    slot: number(row, 'slot'),
    ord: isProcess ? number(row, 'ord') : undefined,
    pid: uint(row, 'pid') ?? 0,
    ppid: uint(row, 'ppid') ?? 0,
    cmd: nameOf(row, 'cmd', names),
    rssKb: uint(row, 'rss') ?? 0,
    cpuTime: uint(row, 'cpu_time') ?? 0,
    cpuAvg: float(row, 'cpu_avg'),
    processes: isProcess ? 1 + Math.max(0, number(row, 'rolledup')) : 0,
    gpuUtil: number(row, 'gpu_util'),
    gpuMemoryKb: amount(row, 'gpu_memory'),
    cards: text(row, 'cards'),
  };
}

export const sumOf = (row: CellsOfRow, cluster: string, names?: Names): Ordered<SampleSum> => ({
  ...ofSample(row, cluster),
  meta: metaOf(text(row, 'source')),
  ...ofJob(row),
  user: nameOf(row, 'user', names),
  pid: uint(row, 'pid') ?? 0,
  ppid: uint(row, 'ppid') ?? 0,
  cmd: nameOf(row, 'cmd', names),
  processes: number(row, 'processes'),
  rssKb: amount(row, 'rss'),
  vmKb: amount(row, 'vm'),
  threads: amount(row, 'threads'),
  cpuAvg: number(row, 'cpu_avg'),
  cpuUtil: number(row, 'cpu_util'),
  cpuTime: amount(row, 'cpu_time'),
  readKb: amount(row, 'data_read'),
  writtenKb: amount(row, 'data_written'),
  cancelledKb: amount(row, 'data_cancelled'),
});

export const processCardOf = (row: CellsOfRow, cluster: string): Ordered<ProcessCard> => ({
  ...ofSample(row, cluster),
  ...ofJob(row),
  pid: uint(row, 'pid') ?? 0,
  uuid: text(row, 'uuid'),
  utilPercent: float(row, 'util'),
  memoryKb: uint(row, 'memory') ?? 0,
  memoryPercent: float(row, 'memory_util'),
});

export const sampleTimeOf = (row: CellsOfRow, cluster: string): Ordered<SampleTime> => ({
  envelope: number(row, 'id'),
  cluster,
  node: text(row, 'node'),
  time: number(row, 'time'),
  boot: optional(row, 'boot'),
});

export const nodeSampleOf = (row: CellsOfRow, cluster: string): Ordered<NodeSample> => ({
  ...ofSample(row, cluster),
  usedMemoryKb: uint(row, 'used_memory') ?? 0,
  cpuSeconds: uints(row, 'cpus'),
  load1: float(row, 'load1'),
  cards: number(row, 'cards'),
  gpuUtil: optional(row, 'gpu_util'),
  gpuMemoryKb: amount(row, 'gpu_memory'),
});

export const cardOf = (row: CellsOfRow, cluster: string): Ordered<CardSample> => {
  const value = (name: string) => uint(row, name) ?? 0;
  return {
    ...ofSample(row, cluster),
    uuid: text(row, 'uuid'),
    index: value('idx'),
    failing: value('failing'),
    fan: value('fan'),
    memoryKb: value('memory'),
    utilPercent: value('ce_util'),
    memoryPercent: value('memory_util'),
    temperature: signed(row, 'temperature') ?? 0,
    powerWatts: value('power'),
    powerLimitWatts: value('power_limit'),
    computeMode: text(row, 'mode'),
    clockMhz: value('ce_clock'),
    memoryClockMhz: value('memory_clock'),
    performance: uint(row, 'performance'),
    meta: metaOf(text(row, 'source')),
  };
};

export const diskOf = (row: CellsOfRow, cluster: string): Ordered<DiskSample> => ({
  ...ofSample(row, cluster),
  disk: text(row, 'disk'),
  major: uint(row, 'major') ?? 0,
  minor: uint(row, 'minor') ?? 0,
  stats: uints(row, 'stats'),
});

/** Sums over the processes of an entry, and lists of their values. */
export const jobSampleOf = (row: CellsOfRow, cluster: string, names?: Names): JobSample => ({
  ...ofSample(row, cluster),
  user: nameOf(row, 'user', names),
  ...ofJob(row),
  slot: number(row, 'slot'),
  gpuUtil: number(row, 'gpu_util'),
  gpuMemoryKb: amount(row, 'gpu_memory'),
  ...(row['counters'] instanceof Uint8Array ? storedSumsOf(row, unpackUints(row['counters'])) : sumsOfProcesses(row)),
});

/** What was added up when a sample of many processes was stored. */
function storedSumsOf(row: CellsOfRow, counters: readonly Uint[]) {
  const processes = counters.length / 3;
  return {
    processes,
    rssKb: number(row, 'stored_rss'),
    cpuAvg: number(row, 'stored_cpu_avg'),
    names: counters.slice(0, processes),
    ppids: counters.slice(processes, 2 * processes),
    cpuTimes: counters.slice(2 * processes),
  };
}

/** Where lists may be in any order, they come with the places of the processes as `ords`. */
function sumsOfProcesses(row: CellsOfRow) {
  const ords = items(row, 'ords');
  const list = (column: string) => inOrder(items(row, column).map(counterOf), ords);
  return {
    processes: number(row, 'processes'),
    rssKb: amount(row, 'rss'),
    cpuAvg: number(row, 'cpu_avg'),
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

export const slurmJobOf = (row: CellsOfRow, cluster: string): SlurmJobRow => ({
  cluster,
  job: uint(row, 'job_id') ?? 0,
  step: text(row, 'step'),
  state: text(row, 'state'),
  user: text(row, 'user'),
  account: text(row, 'account'),
  partition: text(row, 'partition'),
  submit: optional(row, 'submit'),
  start: optional(row, 'start'),
  end: optional(row, 'end'),
  seen: number(row, 'seen'),
  fields: text(row, 'fields'),
});

export const linkOf = (row: CellsOfRow, cluster: string): Link => ({
  cluster,
  node: text(row, 'node_name'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  pid: uint(row, 'pid') ?? 0,
  start: uint(row, 'start') ?? 0,
  time: number(row, 'time'),
  workflow: number(row, 'workflow'),
  workflowJob: number(row, 'workflow_job'),
  run: number(row, 'run'),
  attempt: number(row, 'attempt'),
  slurmJob: uint(row, 'slurm_job'),
  step: row['step'] === null ? undefined : text(row, 'step'),
});

export const jobHourOf = (row: CellsOfRow, cluster: string): JobHour => ({
  cluster,
  node: text(row, 'node_name'),
  time: number(row, 'time'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  user: text(row, 'user_name'),
  cmd: text(row, 'cmd_name'),
  first: number(row, 'first'),
  last: number(row, 'last'),
  samples: number(row, 'samples'),
  processes: number(row, 'processes'),
  cpuSeconds: amount(row, 'cpu_seconds'),
  peakCpuPercent: number(row, 'peak_cpu_percent'),
  memoryKb: amount(row, 'memory_kb'),
  peakMemoryKb: amount(row, 'peak_memory_kb'),
  gpuPercent: number(row, 'gpu_percent'),
  peakGpuMemoryKb: amount(row, 'peak_gpu_memory_kb'),
  cards: text(row, 'cards'),
});

export const nodeHourOf = (row: CellsOfRow, cluster: string): NodeHour => ({
  cluster,
  node: text(row, 'node_name'),
  time: number(row, 'time'),
  first: number(row, 'first'),
  last: number(row, 'last'),
  boot: optional(row, 'boot'),
  samples: number(row, 'samples'),
  cores: number(row, 'cores'),
  cpuPercent: optional(row, 'cpu_percent'),
  usedMemoryKb: amount(row, 'used_memory_kb'),
  load1: number(row, 'load1'),
  cards: number(row, 'cards'),
  gpuPercent: optional(row, 'gpu_percent'),
  gpuMemoryKb: amount(row, 'gpu_memory_kb'),
});
