import type { ObjectTable, ScalarKind } from '../../core/contract/sonar/kinds.ts';
import {
  type SampleAttributes,
  sampleDisk,
  sampleGpu,
  sampleProcess,
  sampleProcessGpu,
  sampleSystem,
} from '../../core/contract/sonar/sample.ts';

/**
 * The tables of samples, in every store: SQLite, the Parquet files of closed days, and PostgreSQL. Which columns there are, how they are
 * written and how they are read follows from here. Each store has its own types of columns, by the kind of value.
 *
 * A field that a sample does not have, or that has its default, is null. A column that comes after the first release of its table stands
 * among the later ones of `columnsOf`, of which stores that exist are without some: SQLite and PostgreSQL get them when a store is opened to
 * be written, and in files of days that were closed before they are null.
 */
export type SampleTableName = 'process' | 'process_gpu' | 'node_sample' | 'gpu_sample' | 'disk_sample';
/** The tables of samples of closed days. */
export type ArchiveTableName = 'sample' | 'process' | 'process_gpu' | 'card' | 'disk';

/** `seconds` and `zone` are the two columns of one timestamp; a `name` is the number of a text in a dictionary. */
export type ColumnKind = 'uint' | 'int' | 'float' | 'flag' | 'text' | 'uints' | 'seconds' | 'zone' | 'name';

export interface SampleColumn {
  readonly column: string;
  /** Of the format. */
  readonly field: string;
  readonly kind: ColumnKind;
  /** It came after the first release of its table. */
  readonly isLater: boolean;
}

export interface SampleTable {
  /** Places within the sample. */
  readonly keys: readonly string[];
  readonly columns: readonly SampleColumn[];
  /** Whether a sample may have rows in it. */
  readonly isIn: (sample: SampleAttributes) => boolean;
  /** The rows of a sample: its places, and the object whose fields are stored. */
  readonly rowsOf: (sample: SampleAttributes) => readonly SampleRow[];
}

type SampleRow = readonly [places: readonly number[], fields: Fields];
export type Fields = Readonly<Record<string, unknown>>;

/** The dictionaries of names in samples, which have the names of their columns. */
const sampleNames = ['cmd', 'gpu', 'disk'] as const;
export type SampleNames = (typeof sampleNames)[number];

const kinds: Readonly<Partial<Record<ScalarKind, ColumnKind>>> = {
  uint: 'uint',
  extended: 'uint',
  int: 'int',
  float: 'float',
  bool: 'flag',
  string: 'text',
};

type ColumnsOf<Table extends ObjectTable> = Readonly<Record<string, keyof Table['fields'] & string>>;

/** Columns in their order, with the fields of the format that they hold; the later ones are last. */
export function columnsOf<Table extends ObjectTable>(
  { fields }: Table,
  columns: ColumnsOf<Table>,
  later: ColumnsOf<Table> = {},
): readonly SampleColumn[] {
  return [...Object.entries(columns), ...Object.entries(later)].flatMap(([column, field]): SampleColumn[] => {
    const { kind, list } = fields[field] ?? {};
    const isLater = column in later;
    if (sampleNames.includes(column as SampleNames)) return [{ column, field, kind: 'name', isLater }];
    if (list !== undefined) return [{ column, field, kind: 'uints', isLater }];
    if (kind !== 'timestamp') return [{ column, field, kind: kinds[kind as ScalarKind] as ColumnKind, isLater }];
    return [
      { column, field, kind: 'seconds', isLater },
      { column: `${column}_zone`, field, kind: 'zone', isLater },
    ];
  });
}

const items = (each: readonly object[] | undefined): SampleRow[] =>
  (each ?? []).map((fields, item) => [[item], fields as Fields]);

export const sampleTables: Readonly<Record<SampleTableName, SampleTable>> = {
  process: {
    keys: ['slot', 'ord'],
    columns: columnsOf(sampleProcess, {
      pid: 'pid',
      ppid: 'ppid',
      cmd: 'cmd',
      rss: 'resident_memory',
      vm: 'virtual_memory',
      threads: 'num_threads',
      cpu_avg: 'cpu_avg',
      cpu_util: 'cpu_util',
      cpu_time: 'cpu_time',
      data_read: 'data_read',
      data_written: 'data_written',
      data_cancelled: 'data_cancelled',
      rolledup: 'rolledup',
      container: 'in_container',
    }),
    isIn: ({ jobs = [] }) => jobs.length > 0,
    rowsOf: ({ jobs = [] }) =>
      jobs.flatMap(({ processes = [] }, slot) => processes.map((each, ord): SampleRow => [[slot, ord], each])),
  },
  process_gpu: {
    keys: ['slot', 'ord', 'item'],
    columns: columnsOf(sampleProcessGpu, {
      gpu: 'uuid',
      idx: 'index',
      util: 'gpu_util',
      memory: 'gpu_memory',
      memory_util: 'gpu_memory_util',
    }),
    isIn: ({ jobs = [] }) => jobs.some(({ processes = [] }) => processes.some(({ gpus = [] }) => gpus.length > 0)),
    rowsOf: ({ jobs = [] }) =>
      jobs.flatMap(({ processes = [] }, slot) =>
        processes.flatMap(({ gpus = [] }, ord) => gpus.map((gpu, item): SampleRow => [[slot, ord, item], gpu])),
      ),
  },
  node_sample: {
    keys: [],
    columns: columnsOf(sampleSystem, {
      boot: 'boot',
      used_memory: 'used_memory',
      load1: 'load1',
      load5: 'load5',
      load15: 'load15',
      runnable: 'runnable_entities',
      existing: 'existing_entities',
      cpus: 'cpus',
    }),
    isIn: ({ system }) => system !== undefined,
    rowsOf: ({ system }) => (system === undefined ? [] : [[[], system]]),
  },
  gpu_sample: {
    keys: ['item'],
    columns: columnsOf(sampleGpu, {
      gpu: 'uuid',
      idx: 'index',
      failing: 'failing',
      fan: 'fan',
      mode: 'compute_mode',
      performance: 'performance_state',
      memory: 'memory',
      ce_util: 'ce_util',
      memory_util: 'memory_util',
      temperature: 'temperature',
      power: 'power',
      power_limit: 'power_limit',
      ce_clock: 'ce_clock',
      memory_clock: 'memory_clock',
    }),
    isIn: ({ system }) => (system?.gpus ?? []).length > 0,
    rowsOf: ({ system }) => items(system?.gpus),
  },
  disk_sample: {
    keys: ['item'],
    columns: columnsOf(sampleDisk, { disk: 'name', major: 'major', minor: 'minor', stats: 'stats' }),
    isIn: ({ system }) => (system?.disks ?? []).length > 0,
    rowsOf: ({ system }) => items(system?.disks),
  },
};
export const sampleTableNames = Object.keys(sampleTables) as SampleTableName[];

export type PlacedColumn = Pick<SampleColumn, 'column' | 'kind'> & { readonly table: SampleTableName };

/** What stores of earlier releases may be without. */
export const laterColumns: readonly PlacedColumn[] = sampleTableNames.flatMap((table) =>
  sampleTables[table].columns.filter(({ isLater }) => isLater).map(({ column, kind }) => ({ table, column, kind })),
);
