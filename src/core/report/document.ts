import type { WorkflowReport } from './workflow-report.ts';

/**
 * A report as headings, sentences, tables and pictures, without a notation: `markdown` and `html` write it, and each escapes all
 * texts in one place. Texts are what users have chosen: names, commands, lines of logs.
 */
export interface ReportDocument {
  readonly title: string;
  readonly sections: readonly ReportSection[];
}

export interface ReportSection {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block =
  | { readonly kind: 'text'; readonly text: string; readonly tone?: 'good' | 'bad' }
  | { readonly kind: 'facts'; readonly items: readonly (readonly [name: string, value: string])[] }
  | DocumentTable
  | { readonly kind: 'lines'; readonly title: string; readonly lines: readonly string[] }
  | { readonly kind: 'graph'; readonly graph: WorkflowReport['graph'] }
  | { readonly kind: 'timeline'; readonly timeline: WorkflowReport['timeline'] };

export interface DocumentTable {
  readonly kind: 'table';
  readonly title: string;
  /** Those with `isNumber` are aligned to the right. */
  readonly columns: readonly { readonly title: string; readonly isNumber?: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

const NUMBER_MARK = '#';

/** A table; a title of a column that begins with `#` is one of numbers. */
export const tableBlock = (
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): DocumentTable => ({
  kind: 'table',
  title,
  columns: columns.map((each) =>
    each.startsWith(NUMBER_MARK) ? { title: each.slice(1), isNumber: true } : { title: each },
  ),
  rows,
});
