import type { SampleAttributes, SampleProcess, SampleSystem } from '../../core/contract/sonar/sample.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { toInteger } from '../store/numbers.ts';
import type { CopyValue } from './copy.ts';
import type { NameTable } from './names.ts';

/** The columns of the tables that are copied, in the order of the values below. */
export const columns = {
  process:
    'time envelope cluster node slot ord job epoch "user" cmd pid ppid rss vm threads cpu_avg cpu_util cpu_time data_read data_written data_cancelled rolledup container'.split(
      ' ',
    ),
  process_gpu: 'time envelope slot ord item gpu idx util memory memory_util'.split(' '),
  node_sample: 'time envelope boot boot_zone used_memory load1 load5 load15 runnable existing cpus'.split(' '),
  gpu_sample:
    'time envelope item gpu idx failing fan mode performance memory ce_util memory_util temperature power power_limit ce_clock memory_clock'.split(
      ' ',
    ),
  disk_sample: 'time envelope item disk major minor stats'.split(' '),
} as const;

export type Rows = Readonly<Record<keyof typeof columns, CopyValue[][]>>;

export const noRows = (): Rows => ({ process: [], process_gpu: [], node_sample: [], gpu_sample: [], disk_sample: [] });

/** The names that the rows of a sample refer to. */
export type NamesOf = Readonly<Record<NameTable, Set<string>>>;
export type IdsOf = Readonly<Record<NameTable, ReadonlyMap<string, number>>>;

export function collectNames({ system, jobs = [] }: SampleAttributes, names: NamesOf): void {
  for (const { user, processes = [] } of jobs) {
    names.user.add(user);
    for (const { cmd, gpus = [] } of processes) {
      if (cmd !== undefined && cmd !== '') names.cmd.add(cmd);
      for (const { uuid } of gpus) names.gpu.add(uuid);
    }
  }
  for (const { uuid } of system?.gpus ?? []) names.gpu.add(uuid);
  for (const { name } of system?.disks ?? []) names.disk.add(name);
}

/** Where the rows of a sample belong. */
export interface Place {
  readonly time: number;
  readonly envelope: bigint;
  readonly cluster: number;
  readonly node: number | null;
}

/** Adds the rows of a sample. */
export function addSample(rows: Rows, place: Place, { system, jobs = [] }: SampleAttributes, ids: IdsOf): void {
  const { time, envelope, cluster, node } = place;
  const idOf = (table: NameTable, name: string): number => ids[table].get(name) ?? 0;
  if (system !== undefined) addSystem(rows, place, system, idOf);
  for (const [slot, { job, epoch, user, processes = [] }] of jobs.entries()) {
    const head = [toInteger(job) ?? 0, toInteger(epoch) ?? 0, idOf('user', user)];
    if (processes.length === 0) rows.process.push([time, envelope, cluster, node, slot, null, ...head, ...NO_PROCESS]);
    for (const [ord, process] of processes.entries()) {
      rows.process.push([time, envelope, cluster, node, slot, ord, ...head, ...processValues(process, idOf)]);
      for (const [item, gpu] of (process.gpus ?? []).entries())
        rows.process_gpu.push([
          time,
          envelope,
          slot,
          ord,
          item,
          idOf('gpu', gpu.uuid),
          toInteger(gpu.index),
          float(gpu.gpu_util),
          toInteger(gpu.gpu_memory),
          float(gpu.gpu_memory_util),
        ]);
    }
  }
}

/** Columns of `process` behind those of its job. */
const NO_PROCESS: readonly null[] = Array.from({ length: 14 }, () => null);

const processValues = (process: SampleProcess, idOf: (table: NameTable, name: string) => number): CopyValue[] => [
  process.cmd === undefined || process.cmd === '' ? null : idOf('cmd', process.cmd),
  toInteger(process.pid),
  toInteger(process.ppid),
  toInteger(process.resident_memory),
  toInteger(process.virtual_memory),
  toInteger(process.num_threads),
  float(process.cpu_avg),
  float(process.cpu_util),
  toInteger(process.cpu_time),
  toInteger(process.data_read),
  toInteger(process.data_written),
  toInteger(process.data_cancelled),
  toInteger(process.rolledup),
  process.in_container === true ? true : null,
];

function addSystem(
  rows: Rows,
  { time, envelope }: Place,
  system: SampleSystem,
  idOf: (table: NameTable, name: string) => number,
): void {
  const boot = system.boot === undefined ? undefined : parseTimestamp(system.boot);
  rows.node_sample.push([
    time,
    envelope,
    boot?.seconds ?? null,
    boot?.offsetMinutes ?? null,
    toInteger(system.used_memory),
    float(system.load1),
    float(system.load5),
    float(system.load15),
    toInteger(system.runnable_entities),
    toInteger(system.existing_entities),
    list(system.cpus),
  ]);
  for (const [item, gpu] of (system.gpus ?? []).entries())
    rows.gpu_sample.push([
      time,
      envelope,
      item,
      idOf('gpu', gpu.uuid),
      toInteger(gpu.index),
      toInteger(gpu.failing),
      toInteger(gpu.fan),
      gpu.compute_mode ?? null,
      toInteger(gpu.performance_state),
      toInteger(gpu.memory),
      toInteger(gpu.ce_util),
      toInteger(gpu.memory_util),
      toInteger(gpu.temperature),
      toInteger(gpu.power),
      toInteger(gpu.power_limit),
      toInteger(gpu.ce_clock),
      toInteger(gpu.memory_clock),
    ]);
  for (const [item, disk] of (system.disks ?? []).entries())
    rows.disk_sample.push([
      time,
      envelope,
      item,
      idOf('disk', disk.name),
      toInteger(disk.major),
      toInteger(disk.minor),
      list(disk.stats),
    ]);
}

const float = (value: number | undefined): number | null => (value === undefined || value === 0 ? null : value);

const list = (values: readonly Uint[] | undefined): (number | bigint)[] | null =>
  values === undefined || values.length === 0 ? null : values.map((value) => toInteger(value) ?? 0);
