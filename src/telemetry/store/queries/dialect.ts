import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import type { NamesByNumber } from '../rows/samples.ts';
import type { CellsOfRow } from '../rows/cells.ts';
import { toInteger } from '../rows/numbers.ts';

/** A window, or its part of the nodes from one name to another in the order of their bytes: the rows of all may be too many. */
export type PartOfWindow = AskedWindow & { readonly nodes?: { readonly first: string; readonly last: string } };

/** A cluster of a store. */
export interface Cluster {
  readonly id: number;
  readonly name: string;
}

/** What is asked of a store about the samples of one cluster. */
export interface SampleSelection {
  readonly cluster: Cluster;
  readonly window: PartOfWindow;
  readonly key?: JobKey | undefined;
  /** Where two producers send samples of one node: nodes with the sources that count, a blank between. Undefined: all count. */
  readonly chosen?: readonly string[] | undefined;
}

/** Adds a value to a statement, and gives its place in the text. */
export type Bind = (value: unknown) => string;

/** A statement with its values. */
export function bound<Text>(
  mark: Dialect['mark'],
  write: (bind: Bind) => Text,
): { sql: Text; values: readonly unknown[] } {
  const values: unknown[] = [];
  return { sql: write((value) => `${mark}${values.push(value)}`), values };
}

/** An unsigned integer of 64 bits as a signed one, as text: every store reads it exactly. */
export const storedNumber = (value: Uint): string => String(toInteger(value) ?? 0);

/** The rows of a job, by the alias of their table. */
export const jobCondition = (alias: string, { job, epoch }: JobKey, bind: Bind): string =>
  `${alias}.job = ${bind(storedNumber(job))}${epoch === undefined ? '' : ` and ${alias}.epoch = ${bind(storedNumber(epoch))}`}`;

/** The nodes `n` of a name, or of its first label. */
export const ofNode = (name: string): string => `(n.name = ${name} or n.short = ${name})`;

export type Sums = readonly (readonly [sql: string, name: string])[];
export const listed = (sums: Sums): string => sums.map(([sql, name]) => `${sql} as ${name}`).join(', ');

/** Rows of samples, or of the entries of jobs in samples with their processes as `p`. */
export interface SampleRelation {
  readonly from: string;
  readonly where: string;
  /** The columns that name a sample: `id`, `time` and what the tables of the store are joined by. */
  readonly columns: string;
  /** The order of time. */
  readonly order: string;
  /** The condition that a row of a table, by its alias, is of the same sample; `rows` are selected with `columns`. */
  readonly of: (alias: string, rows?: string) => string;
}

/** Rows of a table that belong to rows of samples, as `g`. */
export type ItemTable = keyof typeof ITEM_NAMES;
/** The dictionary with their names. */
export const ITEM_NAMES = { process_gpu: 'gpu', gpu_sample: 'gpu', disk_sample: 'disk' } as const;

/** The words in which the statements of `samples.ts` are written for one store. */
export interface Dialect {
  /** What stands before the number of a value. */
  readonly mark: '?' | '$';
  /** Columns of samples; `byNode` is the name of the node in the order of bytes. */
  readonly node: string;
  readonly byNode: string;
  readonly source: string;
  /** Columns of entries, and the command of a process. */
  readonly user: string;
  readonly job: string;
  readonly epoch: string;
  readonly slot: string;
  readonly cmd: string;
  /** The command itself where `cmd` may be its number. */
  readonly cmdName: string;

  /** With `hasSource`, `source` is a column. */
  readonly samples: (asked: SampleSelection, bind: Bind, options?: { readonly hasSource?: boolean }) => SampleRelation;
  /** `isAddedUp`: with what was added up when a sample was stored, if the store has that, in place of processes. */
  readonly entries: (
    asked: SampleSelection,
    bind: Bind,
    options?: { readonly hasSource?: boolean; readonly isAddedUp?: boolean },
  ) => SampleRelation;
  /** By `keys`; the `others` that are selected follow from them. */
  readonly groupBy: (keys: readonly string[], others: readonly string[]) => string;
  /** Sums over the processes of each entry, of `entries` with `isAddedUp`: their columns, and how rows are grouped. */
  readonly ofEach: (sums: Sums, groupBy: string) => { readonly columns: string; readonly groupBy: string };
  /** The rows with the state of the nodes of samples, and what the samples that have one fulfil. */
  readonly system: {
    readonly alias: string;
    readonly join: (of: SampleRelation['of']) => string;
    readonly where: string;
  };
  readonly process: string;
  /** A table with its dictionary, to be joined, and the name in it; undefined if the store has no such rows. */
  readonly items: (table: ItemTable, on: string) => { readonly join: string; readonly name: string } | undefined;
  /**
   * Sums over the rows of a table for each row of a statement: those of its sample, and of its entry and process where `keys` has the
   * columns. `rows` is the name of these rows, where they have one.
   */
  readonly beside: (
    table: ItemTable,
    sums: Sums,
    row: {
      readonly of: SampleRelation['of'];
      readonly keys?: Readonly<Record<string, string>>;
      readonly rows?: string;
    },
  ) => { readonly columns: string; readonly join: string };
  /** The newest of the rows of each node and card. */
  readonly newest: (cards: string) => string;
  /** The first time of each node. */
  readonly firstTimes: (asked: SampleSelection, bind: Bind) => string;

  readonly ofNode: (name: string) => string;
  readonly ofUser: (name: string) => string;
  /** The texts of a list in JSON, as rows. */
  readonly each: (json: string) => string;
  /** An exact sum of unsigned integers of 64 bits, in one column or two. */
  readonly amount: (column: string, name: string) => Sums;
  readonly sum: (value: string) => string;
  /** Of a column of percentages. */
  readonly percent: (column: string) => string;
  /** Lists of the values of processes, with their places as `ords` where a list may be in any order. */
  readonly lists: (values: Sums) => Sums;
  /** A number in a list that has texts too. */
  readonly besideTexts: (number: string) => string;
  /** The names of items, with blanks between. */
  readonly names: string;
}

/** Where rows are: a file of SQLite, the files of closed days, or a server. */
export interface RowSource {
  readonly dialect: Dialect;
  /**
   * What `rowOf` makes of each row, in portions. `names` are those of users and commands, where rows have their numbers. With `isHeld`
   * all rows of an answer have room in memory.
   */
  readonly read: <Row>(
    sql: string,
    values: readonly unknown[],
    rowOf: (row: CellsOfRow, names?: NamesByNumber) => Row,
    isHeld?: boolean,
  ) => AsyncIterable<readonly Row[]>;
  /** Parts of the window of a job, where there is no memory for the lists of all its processes. */
  readonly partsOf?: (asked: SampleSelection) => Promise<readonly Pick<AskedWindow, 'from' | 'until'>[]>;
}
