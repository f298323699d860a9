import type { Client } from '../../client/client.ts';
import type { CellStyle } from '../cells.ts';

/** Rows of a view that are read at once, as in Torc 1.0.0: `]` and `[` go to the next and the previous ones. */
export const PAGE_ROWS = 250;

export interface ViewColumn<Row> {
  readonly title: string;
  readonly text: (row: Row, nowMs: number) => string;
  readonly style?: (row: Row) => CellStyle | undefined;
  readonly align?: 'left' | 'right';
  readonly cut?: 'end' | 'middle';
  /** 0 to 9: on a narrow terminal columns of little importance are left out first. */
  readonly importance: number;
}

/** What a number key sorts by. */
interface ViewSort<Row> {
  readonly title: string;
  /** The column of the server, which sorts all rows. Without it the rows of the page are sorted. */
  readonly by?: string;
  readonly value?: (row: Row) => number | string;
}

/** What `f` filters by. */
interface ViewFilter<Row> {
  readonly title: string;
  /** The query for the server; throws a sentence for a text that it would refuse. */
  readonly query?: (text: string) => object;
  /** Without a query: the text that must contain the filter, of the rows of the page. */
  readonly text?: (row: Row) => string;
}

/** What a view reads. */
export interface ViewQuery {
  readonly workflowId: number;
  readonly paging: {
    readonly offset: number;
    readonly limit: number;
    readonly sort_by?: string;
    readonly reverse_sort?: boolean;
  };
  readonly filter: object;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface RowPage<Row> {
  readonly items: readonly Row[];
  readonly total_count: number;
}

export interface View<Row = unknown> {
  readonly name: string;
  readonly sign: string;
  readonly columns: readonly ViewColumn<Row>[];
  readonly sorts: readonly ViewSort<Row>[];
  readonly filters: readonly ViewFilter<Row>[];
  readonly idOf: (row: Row) => number;
  /** The job of a row, for the keys that act on one. */
  readonly jobOf?: (row: Row) => number;
  /** The family of jobs that a row stands for. */
  readonly familyOf?: (row: Row) => string;
  /** Jobs of the workflow of a row failed: Enter shows them. */
  readonly hasFailures?: (row: Row) => boolean;
  /** The file that a row stands for, which Enter shows. */
  readonly pathOf?: (row: Row) => string;
  readonly load: (client: Client, asked: ViewQuery) => Promise<RowPage<Row>>;
}

/** A view among views of other rows. */
export const view = <Row>(table: View<Row>): View => table as unknown as View;
