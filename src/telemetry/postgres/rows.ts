import type { SampleAttributes, SampleSystem } from '../../core/contract/sonar/sample.ts';
import type { Uint } from '../../core/contract/sonar/kinds.ts';
import { parseTimestamp } from '../../core/contract/sonar/timestamp.ts';
import { toInteger } from '../store/numbers.ts';
import type { NameTable } from './names.ts';
import { type Columns, columnsOf, type CopyValue, type RowWriter } from './row-writer.ts';

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

/** A sample that is stored, and where its rows belong. */
export interface StoredSample {
  readonly sample: SampleAttributes;
  readonly time: number;
  readonly envelope: bigint;
  readonly cluster: number;
  readonly node: number | null;
}

/** A table that has rows of samples. */
export interface SampleTable {
  readonly columns: Columns;
  /** Whether a sample has rows in it. */
  readonly has: (sample: SampleAttributes) => boolean;
  /** Writes the rows of a sample. */
  readonly write: (out: RowWriter, stored: StoredSample, ids: IdsOf) => void;
}

/** A table of which samples have few rows. */
function tableOf(
  columns: Columns,
  has: SampleTable['has'],
  valuesOf: (stored: StoredSample, ids: IdsOf) => readonly (readonly CopyValue[])[],
): SampleTable {
  const types = Object.values(columns);
  return {
    columns,
    has,
    write: (out, stored, ids) => {
      for (const values of valuesOf(stored, ids)) out.values(types, values);
    },
  };
}

const processGpu = tableOf(
  {
    ...columnsOf('int8', 'time envelope'),
    ...columnsOf('int4', 'slot ord item gpu'),
    ...columnsOf('int8', 'idx'),
    ...columnsOf('float8', 'util'),
    ...columnsOf('int8', 'memory'),
    ...columnsOf('float8', 'memory_util'),
  },
  ({ jobs = [] }) =>
    jobs.some(({ processes = [] }) => processes.some(({ gpus }) => gpus !== undefined && gpus.length > 0)),
  ({ time, envelope, sample: { jobs = [] } }, ids) =>
    jobs.flatMap(({ processes = [] }, slot) =>
      processes.flatMap(({ gpus = [] }, ord) =>
        gpus.map((gpu, item) => [
          time,
          envelope,
          slot,
          ord,
          item,
          ids.gpu.get(gpu.uuid) ?? 0,
          toInteger(gpu.index),
          float(gpu.gpu_util),
          toInteger(gpu.gpu_memory),
          float(gpu.gpu_memory_util),
        ]),
      ),
    ),
);

const nodeSample = tableOf(
  {
    ...columnsOf('int8', 'time envelope boot'),
    ...columnsOf('int4', 'boot_zone'),
    ...columnsOf('int8', 'used_memory'),
    ...columnsOf('float8', 'load1 load5 load15'),
    ...columnsOf('int8', 'runnable existing'),
    ...columnsOf('int8[]', 'cpus'),
  },
  ({ system }) => system !== undefined,
  ({ time, envelope, sample: { system } }) => (system === undefined ? [] : [nodeValues(time, envelope, system)]),
);

function nodeValues(time: number, envelope: bigint, system: SampleSystem): CopyValue[] {
  const boot = system.boot === undefined ? undefined : parseTimestamp(system.boot);
  return [
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
  ];
}

const gpuSample = tableOf(
  {
    ...columnsOf('int8', 'time envelope'),
    ...columnsOf('int4', 'item gpu'),
    ...columnsOf('int8', 'idx failing fan'),
    ...columnsOf('text', 'mode'),
    ...columnsOf('int8', 'performance memory ce_util memory_util temperature power power_limit ce_clock memory_clock'),
  },
  ({ system }) => (system?.gpus ?? []).length > 0,
  ({ time, envelope, sample: { system } }, ids) =>
    (system?.gpus ?? []).map((gpu, item) => [
      time,
      envelope,
      item,
      ids.gpu.get(gpu.uuid) ?? 0,
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
    ]),
);

const diskSample = tableOf(
  {
    ...columnsOf('int8', 'time envelope'),
    ...columnsOf('int4', 'item disk'),
    ...columnsOf('int8', 'major minor'),
    ...columnsOf('int8[]', 'stats'),
  },
  ({ system }) => (system?.disks ?? []).length > 0,
  ({ time, envelope, sample: { system } }, ids) =>
    (system?.disks ?? []).map((disk, item) => [
      time,
      envelope,
      item,
      ids.disk.get(disk.name) ?? 0,
      toInteger(disk.major),
      toInteger(disk.minor),
      list(disk.stats),
    ]),
);

/** The tables beside that of processes. */
export const otherTables: Readonly<Record<string, SampleTable>> = {
  process_gpu: processGpu,
  node_sample: nodeSample,
  gpu_sample: gpuSample,
  disk_sample: diskSample,
};

export const float = (value: number | undefined): number | null => (value === undefined || value === 0 ? null : value);

const list = (values: readonly Uint[] | undefined): (number | bigint)[] | null =>
  values === undefined || values.length === 0 ? null : values.map((value) => toInteger(value) ?? 0);
