import type {
  CardSample,
  JobHour,
  JobSample,
  Link,
  NodeHour,
  ProcessCard,
  ProcessRow,
  SampleSum,
  SlurmJobRow,
} from '../questions/rows.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import type { Metadata } from '../../core/contract/sonar/shared.ts';
import { metaOf } from '../store/metas.ts';
import { fromSigned, fromStoredJson } from '../store/numbers.ts';
import { storedJson } from '../questions/stored-json.ts';
import { amount, number, optional, text, uint } from './cells.ts';
import type { PgRow } from './library.ts';

/** Names of users and commands by their numbers. */
export type Names = Readonly<Record<'user' | 'cmd', ReadonlyMap<number, string>>>;
const nameOf = (names: ReadonlyMap<number, string>, row: PgRow, column: string): string =>
  names.get(number(row, column)) ?? '';

export const processOf = (row: PgRow, cluster: string, names: Names): ProcessRow => {
  const isProcess = row['ord'] !== null;
  return {
    envelope: number(row, 'envelope'),
    time: number(row, 'time'),
    cluster,
    node: text(row, 'node'),
    user: nameOf(names.user, row, 'user'),
    job: uint(row, 'job') ?? 0,
    epoch: uint(row, 'epoch') ?? 0,
    slot: number(row, 'slot'),
    ord: isProcess ? number(row, 'ord') : undefined,
    pid: uint(row, 'pid') ?? 0,
    ppid: uint(row, 'ppid') ?? 0,
    cmd: nameOf(names.cmd, row, 'cmd'),
    rssKb: amount(row, 'rss'),
    cpuTime: amount(row, 'cpu_time'),
    cpuAvg: number(row, 'cpu_avg'),
    processes: isProcess ? 1 + Math.max(0, number(row, 'rolledup')) : 0,
    gpuUtil: number(row, 'gpu_util'),
    gpuMemoryKb: amount(row, 'gpu_memory'),
    cards: text(row, 'cards'),
  };
};

export const sumOf = (row: PgRow, cluster: string): SampleSum => ({
  time: number(row, 'time'),
  cluster,
  node: text(row, 'node'),
  meta: metaOf(text(row, 'source')),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  user: text(row, 'user_name'),
  pid: uint(row, 'pid') ?? 0,
  ppid: uint(row, 'ppid') ?? 0,
  cmd: text(row, 'cmd'),
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

export const jobSampleOf = (row: PgRow, cluster: string, names: Names): JobSample => {
  const counters = storedJson(text(row, 'counters')) as readonly [name: string, ppid: Uint, cpuTime: Uint][];
  return {
    envelope: number(row, 'envelope'),
    time: number(row, 'time'),
    cluster,
    node: text(row, 'node_name'),
    user: nameOf(names.user, row, 'user'),
    job: uint(row, 'job') ?? 0,
    epoch: uint(row, 'epoch') ?? 0,
    slot: number(row, 'slot'),
    processes: number(row, 'processes'),
    rssKb: amount(row, 'rss'),
    cpuAvg: number(row, 'cpu_avg'),
    gpuUtil: number(row, 'gpu_util'),
    gpuMemoryKb: amount(row, 'gpu_memory'),
    names: counters.map(([name]) => (name.startsWith('-') ? String(fromStoredJson(name)) : name)),
    ppids: counters.map(([, ppid]) => fromStoredJson(ppid)),
    cpuTimes: counters.map(([, , cpuTime]) => fromStoredJson(cpuTime)),
  };
};

export const processCardOf = (row: PgRow, cluster: string): ProcessCard => ({
  time: number(row, 'time'),
  cluster,
  node: text(row, 'node'),
  job: uint(row, 'job') ?? 0,
  epoch: uint(row, 'epoch') ?? 0,
  pid: uint(row, 'pid') ?? 0,
  uuid: text(row, 'uuid'),
  utilPercent: number(row, 'util'),
  memoryKb: amount(row, 'memory'),
  memoryPercent: number(row, 'memory_util'),
});

export const cardOf = (row: PgRow, cluster: string): CardSample => {
  const value = (name: string) => amount(row, name);
  const temperature = row['temperature'];
  return {
    cluster,
    node: text(row, 'node'),
    time: number(row, 'at'),
    uuid: text(row, 'uuid'),
    index: value('idx'),
    failing: value('failing'),
    fan: value('fan'),
    memoryKb: value('memory'),
    utilPercent: value('ce_util'),
    memoryPercent: value('memory_util'),
    temperature: typeof temperature === 'bigint' ? (fromSigned(temperature) ?? 0) : 0,
    powerWatts: value('power'),
    powerLimitWatts: value('power_limit'),
    computeMode: text(row, 'mode'),
    clockMhz: value('ce_clock'),
    memoryClockMhz: value('memory_clock'),
    performance: uint(row, 'performance'),
    meta: storedJson(text(row, 'source')) as Metadata,
  };
};

export const slurmJobOf = (row: PgRow, cluster: string): SlurmJobRow => ({
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

export const linkOf = (row: PgRow, cluster: string): Link => ({
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

export const jobHourOf = (row: PgRow, cluster: string): JobHour => ({
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

export const nodeHourOf = (row: PgRow, cluster: string): NodeHour => ({
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
