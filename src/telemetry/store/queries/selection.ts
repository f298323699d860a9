import type { Uint } from '../../../core/contract/sonar/kinds.ts';
import type { JobKey, AskedWindow } from '../rows/rows.ts';
import { toInteger } from '../rows/numbers.ts';
import type { CellsOfRow } from '../rows/cells.ts';
import type { InEnvelopeOrder, NamesByNumber } from '../rows/samples.ts';
import type { ArchiveTableName } from '../tables.ts';

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

/** A statement with its values. `mark` is what stands before the number of a value. */
export function bound(mark: '?' | '$', write: (bind: Bind) => string): { sql: string; values: readonly unknown[] } {
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

/** Those of the conditions that are asked for, as one. */
export const conjunction = (...conditions: readonly (string | false | undefined)[]): string =>
  conditions.filter((each) => typeof each === 'string').join(' and ');

/**
 * The conditions of a selection in one engine. Each binds its values when it is read: of samples `e`, and of entries of jobs in
 * them. In SQLite and PostgreSQL the values 1 to 3 of every statement are the cluster, the begin and the end.
 */
export interface Conditions {
  readonly samples: string;
  readonly entries: string;
}

/**
 * A question as a whole statement of each engine, and what its rows say.
 *
 * SQLite has plain rows with numbers of dictionaries, 64 bits as signed integers, and percentages in thousandths. The files of closed days
 * have names and plain values, and join by the number of a sample, `n`. PostgreSQL has partitions by time, and only those that the bounds
 * of each table name are planned and read; users and commands stay numbers, whose names are read once.
 */
export interface SampleQuery<Row> {
  readonly sqlite: (where: Conditions) => string;
  readonly duckdb: (where: Conditions, file: (table: ArchiveTableName) => string) => string;
  /** What is `ofCards` is empty in a store without cards; so is a statement that has no answer without them. */
  readonly postgres: (where: Conditions, ofCards: (text: string) => string) => string;
  readonly rowOf: (row: CellsOfRow, cluster: string, names?: NamesByNumber) => Row;
  /** Rows are in the order of time, or of nodes and of time on each. */
  readonly order: 'time' | 'node';
  /** Processes of two producers must not count twice. */
  readonly isOfProcesses?: boolean;
  /** Rows have lists of processes. */
  readonly hasLists?: boolean;
  /** The answer holds all rows. */
  readonly isHeld?: boolean;
}

export type PlacedRow = InEnvelopeOrder<{ readonly node: string; readonly time: number }>;

/** Where rows are: a file of SQLite, the files of closed days, or a server. Gives the rows of one cluster in portions. */
export type RowSource = <Row>(query: SampleQuery<Row>, asked: SampleSelection) => AsyncIterable<readonly Row[]>;
