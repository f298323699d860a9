/**
 * The tables of a closed day: one Parquet file each. They have names where the hot rows have numbers of dictionaries, and plain
 * values, so that other programs can read them.
 *
 * `n` numbers the samples of a day by node and time. So it rises by one from row to row of a process in the order that rows have
 * here, which costs next to nothing; the time of a row is that of its sample.
 */
export type ArchiveType = 'BIGINT' | 'UBIGINT' | 'INTEGER' | 'DOUBLE' | 'VARCHAR' | 'BOOLEAN' | 'UBIGINT[]';

export interface ArchiveTable {
  readonly columns: Readonly<Record<string, readonly [type: ArchiveType, hot: string]>>;
  /** Where hot rows come from, with the envelope as `e`. */
  readonly from: string;
  readonly order: string;
}

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
    boot: ['BIGINT', 'y.boot'],
    boot_zone: ['INTEGER', 'y.boot_zone'],
    used_memory: ['UBIGINT', 'y.used_memory'],
    load1: ['DOUBLE', 'y.load1'],
    load5: ['DOUBLE', 'y.load5'],
    load15: ['DOUBLE', 'y.load15'],
    runnable: ['UBIGINT', 'y.runnable'],
    existing: ['UBIGINT', 'y.existing'],
    cpus: ['UBIGINT[]', 'y.cpus'],
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
    pid: ['UBIGINT', 'p.pid'],
    ppid: ['UBIGINT', 'p.ppid'],
    cmd: ['VARCHAR', 'm.name'],
    rss: ['UBIGINT', 'p.rss'],
    vm: ['UBIGINT', 'p.vm'],
    threads: ['UBIGINT', 'p.threads'],
    cpu_avg: ['DOUBLE', 'p.cpu_avg'],
    cpu_util: ['DOUBLE', 'p.cpu_util'],
    cpu_time: ['UBIGINT', 'p.cpu_time'],
    data_read: ['UBIGINT', 'p.data_read'],
    data_written: ['UBIGINT', 'p.data_written'],
    data_cancelled: ['UBIGINT', 'p.data_cancelled'],
    rolledup: ['BIGINT', 'p.rolledup'],
    container: ['BOOLEAN', 'p.container'],
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
    uuid: ['VARCHAR', 'c.name'],
    idx: ['UBIGINT', 'g.idx'],
    util: ['DOUBLE', 'g.util'],
    memory: ['UBIGINT', 'g.memory'],
    memory_util: ['DOUBLE', 'g.memory_util'],
  },
  from: 'envelope e join process_gpu g on g.envelope = e.id join gpu c on c.id = g.gpu',
  order: 'uuid, n, slot, ord, item',
};

const card: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    item: ['INTEGER', 'g.item'],
    uuid: ['VARCHAR', 'c.name'],
    idx: ['UBIGINT', 'g.idx'],
    failing: ['UBIGINT', 'g.failing'],
    fan: ['UBIGINT', 'g.fan'],
    mode: ['VARCHAR', 'g.mode'],
    performance: ['UBIGINT', 'g.performance'],
    memory: ['UBIGINT', 'g.memory'],
    ce_util: ['UBIGINT', 'g.ce_util'],
    memory_util: ['UBIGINT', 'g.memory_util'],
    temperature: ['BIGINT', 'g.temperature'],
    power: ['UBIGINT', 'g.power'],
    power_limit: ['UBIGINT', 'g.power_limit'],
    ce_clock: ['UBIGINT', 'g.ce_clock'],
    memory_clock: ['UBIGINT', 'g.memory_clock'],
  },
  from: 'envelope e join gpu_sample g on g.envelope = e.id join gpu c on c.id = g.gpu',
  order: 'uuid, n, item',
};

const disk: ArchiveTable = {
  columns: {
    id: ['BIGINT', 'e.id'],
    item: ['INTEGER', 'd.item'],
    disk: ['VARCHAR', 'k.name'],
    major: ['UBIGINT', 'd.major'],
    minor: ['UBIGINT', 'd.minor'],
    stats: ['UBIGINT[]', 'd.stats'],
  },
  from: 'envelope e join disk_sample d on d.envelope = e.id join disk k on k.id = d.disk',
  order: 'disk, n, item',
};

export const archiveTables = { sample, process, process_gpu: processGpu, card, disk } as const;
export type ArchiveTableName = keyof typeof archiveTables;
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
