import { quotedFile } from './duckdb.ts';
import { type ArchiveTableName, type ColumnKind, type SampleTableName, sampleTables } from '../tables.ts';

/**
 * The tables of a closed day: one Parquet file each. They have names where the hot rows have numbers of dictionaries, and plain
 * values, so that other programs can read them.
 *
 * `n` numbers the samples of a day by node and time. So it rises by one from row to row of a process in the order that rows have
 * here, which costs next to nothing; the time of a row is that of its sample.
 */
export type ArchiveType = 'BIGINT' | 'UBIGINT' | 'INTEGER' | 'DOUBLE' | 'VARCHAR' | 'BOOLEAN' | 'UBIGINT[]';

export interface ArchiveTable {
  readonly columns: Readonly<Record<string, readonly [type: ArchiveType, hot: string, isLater?: boolean]>>;
  /** Where hot rows come from, with the envelope as `e`. */
  readonly from: string;
  readonly order: string;
}

const types: Readonly<Record<ColumnKind, ArchiveType>> = {
  uint: 'UBIGINT',
  int: 'BIGINT',
  float: 'DOUBLE',
  flag: 'BOOLEAN',
  text: 'VARCHAR',
  uints: 'UBIGINT[]',
  seconds: 'BIGINT',
  zone: 'INTEGER',
  name: 'VARCHAR',
};

/** The columns of hot rows `table`; a name comes from its dictionary as `named`, and that of a card is its uuid here. */
const columnsOf = (name: SampleTableName, table: string, named?: string): ArchiveTable['columns'] =>
  Object.fromEntries(
    sampleTables[name].columns.map(({ column, kind, isLater }) => [
      column === 'gpu' ? 'uuid' : column,
      [types[kind], kind === 'name' ? `${named}.name` : `${table}.${column}`, isLater],
    ]),
  );

const sample: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    node: ['VARCHAR', 'n.name'],
    time: ['BIGINT', 'e.time'],
    zone: ['INTEGER', 'e.zone'],
    received: ['BIGINT', 'e.received'],
    source: ['VARCHAR', 's.name'],
    producer: ['VARCHAR', "json_extract(s.name, '$.producer')"],
    jobs_only: ['BOOLEAN', `s.name like '%"scope"%"jobs"%'`],
    errors: ['VARCHAR', 'b.text'],
    unknown_members: ['VARCHAR', 'x.members'],
    has_system: ['BOOLEAN', 'y.envelope is not null'],
    ...columnsOf('node_sample', 'y'),
  },
  from: `envelope e join node n on n.id = e.node join source s on s.id = e.source left join node_sample y on y.envelope = e.id
    left join extra x on x.envelope = e.id left join content b on b.id = e.content`,
  order: 'n',
};

const process: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    slot: ['INTEGER', 'j.slot'],
    ord: ['INTEGER', 'p.ord'],
    job: ['UBIGINT', 'j.job'],
    epoch: ['UBIGINT', 'j.epoch'],
    user: ['VARCHAR', 'u.name'],
    ...columnsOf('process', 'p', 'm'),
  },
  from: `envelope e join sample_job j on j.envelope = e.id join user u on u.id = j.user
    left join process p on p.envelope = j.envelope and p.slot = j.slot left join cmd m on m.id = p.cmd`,
  order: 'job, epoch, pid, cmd, n, slot, ord',
};

const processGpu: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    slot: ['INTEGER', 'g.slot'],
    ord: ['INTEGER', 'g.ord'],
    item: ['INTEGER', 'g.item'],
    ...columnsOf('process_gpu', 'g', 'c'),
  },
  from: 'envelope e join process_gpu g on g.envelope = e.id join gpu c on c.id = g.gpu',
  order: 'uuid, n, slot, ord, item',
};

const card: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    item: ['INTEGER', 'g.item'],
    ...columnsOf('gpu_sample', 'g', 'c'),
  },
  from: 'envelope e join gpu_sample g on g.envelope = e.id join gpu c on c.id = g.gpu',
  order: 'uuid, n, item',
};

const disk: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    item: ['INTEGER', 'd.item'],
    ...columnsOf('disk_sample', 'd', 'k'),
  },
  from: 'envelope e join disk_sample d on d.envelope = e.id join disk k on k.id = d.disk',
  order: 'disk, n, item',
};

export const archiveTables: Readonly<Record<ArchiveTableName, ArchiveTable>> = {
  sample,
  process,
  process_gpu: processGpu,
  card,
  disk,
};
export const archiveTableNames = Object.keys(archiveTables) as ArchiveTableName[];

/** What is kept of a day when its samples are deleted. The names are those of the rows. */
export const hourTables = {
  job_hour: {
    node: 'VARCHAR',
    time: 'BIGINT',
    job: 'UBIGINT',
    epoch: 'UBIGINT',
    user: 'VARCHAR',
    cmd: 'VARCHAR',
    first: 'BIGINT',
    last: 'BIGINT',
    samples: 'INTEGER',
    processes: 'INTEGER',
    cpuSeconds: 'UBIGINT',
    peakCpuPercent: 'DOUBLE',
    memoryKb: 'UBIGINT',
    peakMemoryKb: 'UBIGINT',
    gpuPercent: 'DOUBLE',
    peakGpuMemoryKb: 'UBIGINT',
    cards: 'VARCHAR',
  },
  node_hour: {
    node: 'VARCHAR',
    time: 'BIGINT',
    first: 'BIGINT',
    last: 'BIGINT',
    boot: 'BIGINT',
    samples: 'INTEGER',
    cores: 'INTEGER',
    cpuPercent: 'DOUBLE',
    usedMemoryKb: 'UBIGINT',
    load1: 'DOUBLE',
    cards: 'INTEGER',
    gpuPercent: 'DOUBLE',
    gpuMemoryKb: 'UBIGINT',
  },
} as const;
export type HourTableName = keyof typeof hourTables;
export const hourTableNames = Object.keys(hourTables) as HourTableName[];
export const hourOrder: Readonly<Record<HourTableName, string>> = {
  job_hour: 'job, epoch, node, time, "user"',
  node_hour: 'node, time',
};

/** Columns that files of an earlier release may be without. */
const laterOf = (name: string): readonly string[] =>
  Object.entries(archiveTables[name as ArchiveTableName]?.columns ?? {}).flatMap(([column, [, , isLater = false]]) =>
    isLater ? [column] : [],
  );

/** Tables that a day always has, also without rows: that one is missing is an error, and no empty day. */
export const isAlwaysWritten = (name: ArchiveTableName): boolean => name === 'sample' || name === 'process';

/** A table that has no file in any of these days. Throws for one that every day has: without it an answer would say less than was stored. */
export function emptyTableOf(name: ArchiveTableName): string {
  if (isAlwaysWritten(name)) throw new Error(`closed days of the store have no file ${name}: it was deleted or moved`);
  return `(select null::bigint as n, ${Object.entries(archiveTables[name].columns)
    .map(([column, [type]]) => `null::${type} as "${column}"`)
    .join(', ')} limit 0)`;
}

/** Files of a table as one table. What a file does not have is null; amounts of hours had other types in earlier releases. */
export function parquetTableOf(
  name: ArchiveTableName | HourTableName,
  files: readonly string[],
  later: readonly string[] = laterOf(name),
): string {
  const read = `read_parquet([${files.map(quotedFile).join(', ')}], union_by_name = true)`;
  if (later.length === 0) return read;
  // The plan of each statement has all of these columns.
  const { columns } = archiveTables[name as ArchiveTableName];
  const nulls = later.map((column) => `null::${columns[column]?.[0]} as "${column}"`);
  return `(from (select ${nulls.join(', ')} limit 0) union all by name from ${read})`;
}
