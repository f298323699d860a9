import { printable } from '../../core/contract/printable.ts';
import { greatest } from '../../core/quantity/extremes.ts';

/** A column of a list: its title and its cells. */
export interface Column<Row> {
  readonly title: string;
  readonly value: (row: Row) => unknown;
  /** Numbers are aligned to the right. */
  readonly align?: 'left' | 'right';
}

/** A table with rounded borders, as wide as its longest cells. Line breaks within a cell become blanks. */
export function tableText<Row>(given: readonly Column<Row>[], rows: readonly Row[]): string {
  // Names of columns may come from a server, too.
  const columns = given.map((column) => ({ ...column, title: printable(column.title) }));
  const cells = rows.map((row) =>
    columns.map(({ value }) => printable(cellText(value(row)).replaceAll(/\s*\n\s*/g, ' '))),
  );
  const widths = columns.map(({ title }, index) =>
    greatest(
      cells.map((row) => width(row[index] as string)),
      width(title),
    ),
  );
  const rule = (left: string, middle: string, right: string) =>
    left + widths.map((each) => '─'.repeat(each + 2)).join(middle) + right;
  const line = (texts: readonly string[], aligned: boolean) =>
    `│${texts.map((text, index) => ` ${pad(text, widths[index] as number, aligned && columns[index]?.align === 'right')} `).join('│')}│`;
  return [
    rule('╭', '┬', '╮'),
    line(
      columns.map(({ title }) => title),
      false,
    ),
    rule('├', '┼', '┤'),
    ...cells.map((row) => line(row, true)),
    rule('╰', '┴', '╯'),
  ].join('\n');
}

/** A value in a table or in CSV; an undefined value is empty. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Math.round(value * 1000) / 1000);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number | boolean);
}

/** CSV with a header, quoted where necessary. */
export function csvText<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const quote = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const line = (texts: readonly string[]) => texts.map(quote).join(',');
  return [
    line(columns.map(({ title }) => title)),
    ...rows.map((row) => line(columns.map(({ value }) => cellText(value(row))))),
  ].join('\n');
}

const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}]/gu;

/** The terminal columns of a text: East Asian characters and emoji take two. */
const width = (text: string) => Array.from(text).length + (text.match(wide)?.length ?? 0);

function pad(text: string, to: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(0, to - width(text)));
  return right ? blanks + text : text + blanks;
}
