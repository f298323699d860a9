import type { JobHour, NodeHour } from '../questions/rows-of-hours.ts';
import type { AttemptLink, SlurmJobRow } from '../questions/rows-of-records.ts';
import type {
  CardSample,
  DiskSample,
  JobSampleRow,
  NodeSampleRow,
  ProcessCard,
  ProcessRow,
  SampleSum,
  SampleTime,
} from '../questions/rows-of-samples.ts';
import { metaOf } from './metas.ts';
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
import { fromStoredJson, unpackUints } from './numbers.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';

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

export function processOf(row: CellsOfRow, cluster: string, names?: NamesByNumber): ProcessRow {
  const isProcess = row['ord'] !== null;
  return {
    envelope: numberCell(row, 'id'),
    time: numberCell(row, 'time'),
    cluster,
    node: textCell(row, 'node'),
    user: nameOf(row, 'user', names),
    job: uint(row, 'job') ?? 0,
    epoch: uint(row, 'epoch') ?? 0,
    slot: numberCell(row, 'slot'),
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
    cards: textCell(row, 'cards'),
  };
}

export const sampleSumOf = (row: CellsOfRow, cluster: string, names?: NamesByNumber): InEnvelopeOrder<SampleSum> => ({
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
  cpuUtil: numberCell(row, 'cpu_util'),
  cpuTime: amountCell(row, 'cpu_time'),
  readKb: amountCell(row, 'data_read'),
  writtenKb: amountCell(row, 'data_written'),
  cancelledKb: amountCell(row, 'data_cancelled'),
});

export const processCardOf = (row: CellsOfRow, cluster: string): InEnvelopeOrder<ProcessCard> => ({
  ...ofSample(row, cluster),
  ...ofJob(row),
  pid: uint(row, 'pid') ?? 0,
  uuid: textCell(row, 'uuid'),
  utilPercent: floatCell(row, 'util'),
  memoryKb: uint(row, 'memory') ?? 0,
  memoryPercent: floatCell(row, 'memory_util'),
});

export const sampleTimeOf = (row: CellsOfRow, cluster: string): InEnvelopeOrder<SampleTime> => ({
  envelope: numberCell(row, 'id'),
  cluster,
  node: textCell(row, 'node'),
  time: numberCell(row, 'time'),
  boot: optional(row, 'boot'),
});

export const nodeSampleOf = (row: CellsOfRow, cluster: string): InEnvelopeOrder<NodeSampleRow> => ({
  ...ofSample(row, cluster),
  usedMemoryKb: uint(row, 'used_memory') ?? 0,
  cpuSeconds: uints(row, 'cpus'),
  load1: floatCell(row, 'load1'),
  cards: numberCell(row, 'cards'),
  gpuUtil: optional(row, 'gpu_util'),
  gpuMemoryKb: amountCell(row, 'gpu_memory'),
});

export const cardOf = (row: CellsOfRow, cluster: string): InEnvelopeOrder<CardSample> => {
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
    performance: uint(row, 'performance'),
    meta: metaOf(textCell(row, 'source')),
  };
};

export const diskOf = (row: CellsOfRow, cluster: string): InEnvelopeOrder<DiskSample> => ({
  ...ofSample(row, cluster),
  disk: textCell(row, 'disk'),
  major: uint(row, 'major') ?? 0,
  minor: uint(row, 'minor') ?? 0,
  stats: uints(row, 'stats'),
});

/** Sums over the processes of an entry, and lists of their values. */
export const jobSampleOf = (row: CellsOfRow, cluster: string, names?: NamesByNumber): JobSampleRow => ({
  ...ofSample(row, cluster),
  user: nameOf(row, 'user', names),
  ...ofJob(row),
  slot: numberCell(row, 'slot'),
  gpuUtil: numberCell(row, 'gpu_util'),
  gpuMemoryKb: amountCell(row, 'gpu_memory'),
  ...(row['counters'] instanceof Uint8Array ? storedSumsOf(row, unpackUints(row['counters'])) : sumsOfProcesses(row)),
});

/** What was added up when a sample of many processes was stored. */
function storedSumsOf(row: CellsOfRow, counters: readonly Uint[]) {
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
function sumsOfProcesses(row: CellsOfRow) {
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

export const slurmJobRowOf = (row: CellsOfRow, cluster: string): SlurmJobRow => ({
  cluster,
  job: uint(row, 'job_id') ?? 0,
  step: textCell(row, 'step'),
  state: textCell(row, 'state'),
  user: textCell(row, 'user'),
  account: textCell(row, 'account'),
  partition: textCell(row, 'partition'),
  submit: optional(row, 'submit'),
  start: optional(row, 'start'),
  end: optional(row, 'end'),
  seen: numberCell(row, 'seen'),
  fields: textCell(row, 'fields'),
});

export const linkOf = (row: CellsOfRow, cluster: string): AttemptLink => ({
  cluster,
  node: textCell(row, 'node_name'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  pid: uint(row, 'pid') ?? 0,
  start: uint(row, 'start') ?? 0,
  time: numberCell(row, 'time'),
  workflow: numberCell(row, 'workflow'),
  workflowJob: numberCell(row, 'workflow_job'),
  run: numberCell(row, 'run'),
  attempt: numberCell(row, 'attempt'),
  slurmJob: uint(row, 'slurm_job'),
  step: row['step'] === null ? undefined : textCell(row, 'step'),
});

export const jobHourOf = (row: CellsOfRow, cluster: string): JobHour => ({
  cluster,
  node: textCell(row, 'node_name'),
  time: numberCell(row, 'time'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  user: textCell(row, 'user_name'),
  cmd: textCell(row, 'cmd_name'),
  first: numberCell(row, 'first'),
  last: numberCell(row, 'last'),
  samples: numberCell(row, 'samples'),
  processes: numberCell(row, 'processes'),
  cpuSeconds: amountCell(row, 'cpu_seconds'),
  peakCpuPercent: numberCell(row, 'peak_cpu_percent'),
  memoryKb: amountCell(row, 'memory_kb'),
  peakMemoryKb: amountCell(row, 'peak_memory_kb'),
  gpuPercent: numberCell(row, 'gpu_percent'),
  peakGpuMemoryKb: amountCell(row, 'peak_gpu_memory_kb'),
  cards: textCell(row, 'cards'),
});

export const nodeHourOf = (row: CellsOfRow, cluster: string): NodeHour => ({
  cluster,
  node: textCell(row, 'node_name'),
  time: numberCell(row, 'time'),
  first: numberCell(row, 'first'),
  last: numberCell(row, 'last'),
  boot: optional(row, 'boot'),
  samples: numberCell(row, 'samples'),
  cores: numberCell(row, 'cores'),
  cpuPercent: optional(row, 'cpu_percent'),
  usedMemoryKb: amountCell(row, 'used_memory_kb'),
  load1: numberCell(row, 'load1'),
  cards: numberCell(row, 'cards'),
  gpuPercent: optional(row, 'gpu_percent'),
  gpuMemoryKb: amountCell(row, 'gpu_memory_kb'),
});
