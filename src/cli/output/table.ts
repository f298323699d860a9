import { printableLine } from '../../core/text/printable.ts';
import { withShortWords } from '../../core/quantity/short-words.ts';
import { greatest } from '../../core/quantity/extremes.ts';
import { type ColumnNeed, fitColumns } from '../../core/text/fit-columns.ts';
import { shortened, textWidth } from '../../core/text/text-width.ts';

/** A column of a list: its title and its cells. */
export interface Column<Row> {
  readonly title: string;
  /** The title in tables, if it differs from the title in CSV. */
  readonly heading?: string;
  /** The title on a narrow terminal. */
  readonly short?: string;
  readonly value: (row: Row) => unknown;
  /** The cell in tables, if it differs from the value in CSV. */
  readonly text?: (row: Row) => string;
  /** Numbers are aligned to the right. */
  readonly align?: 'left' | 'right';
  /** Where long texts are shortened on a narrow terminal; without it they never are. */
  readonly cut?: 'end' | 'middle';
  /** 0 to 9, default 5: on a narrow terminal, the columns of least importance are shortened and left out first. */
  readonly importance?: number;
}

export interface Table {
  readonly text: string;
  /** Titles of columns for which the terminal has no room. */
  readonly leftOut: readonly string[];
}

/** Shown for a value that is unknown or not set. */
const UNKNOWN = '–';

/** The shortest width to which a cell is shortened. */
const LEAST_CUT = 10;
const USUAL_IMPORTANCE = 5;

/**
 * A table with rounded borders, at most `available` wide. Each row is one line.
 *
 * Without a limit, as in a pipe, nothing is cut. A cell that is much longer than the others makes its own line longer, not
 * all of them.
 */
export function tableOf<Row>(given: readonly Column<Row>[], rows: readonly Row[], available = Infinity): Table {
  // Titles of columns may come from a server, too.
  const columns = given.map((column) => ({ ...column, title: lineText(column.heading ?? column.title) }));
  const cells = rows.map((row) => columns.map((column) => cellLine(column, row)));
  const isBounded = Number.isFinite(available);
  const lengths = columns.map((_, at) => cells.map((row) => textWidth(row[at] as string)));
  const needs = columns.map((column, at) =>
    needOf(column, lengths[at] as number[], cells.length > 0 && cells.every((row) => row[at] === UNKNOWN)),
  );
  const widths = isBounded
    ? fitColumns(needs, available)
    : columns.map(({ title }, at) => Math.max(textWidth(title), usualWidth(lengths[at] as number[])));
  const kept = columns.flatMap((column, at) => {
    const width = widths[at];
    return width === undefined ? [] : [{ ...column, at, width, title: titleFor(column, width) }];
  });
  const rule = (left: string, middle: string, right: string) =>
    left + kept.map(({ width }) => '─'.repeat(width + 2)).join(middle) + right;
  const line = (texts: readonly string[], aligned: boolean) =>
    `│${kept.map(({ width, align, cut }, index) => ` ${pad(isBounded ? shortened(texts[index] as string, width, cut) : (texts[index] as string), width, aligned && align === 'right')} `).join('│')}│`;
  const text = [
    rule('╭', '┬', '╮'),
    line(
      kept.map(({ title }) => title),
      false,
    ),
    rule('├', '┼', '┤'),
    ...cells.map((row) =>
      line(
        kept.map(({ at }) => row[at] as string),
        true,
      ),
    ),
    rule('╰', '┴', '╯'),
  ].join('\n');
  const leftOut = columns.flatMap(({ title }, at) =>
    widths[at] === undefined && needs[at]?.isEmpty === false ? [title] : [],
  );
  return { text, leftOut };
}

/** A value in CSV; an undefined value is empty. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isInteger(value)) return String(Math.round(value * 1000) / 1000);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number | boolean);
}

/** A value in a table. */
export function shownText<Row>({ value, text }: Column<Row>, row: Row): string {
  const shown = text === undefined ? cellText(value(row)) : text(row);
  return shown === '' ? UNKNOWN : shown;
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

const cellLine = <Row>(column: Column<Row>, row: Row) => withShortWords(lineText(shownText(column, row)));

/**
 * The text on one line of characters that a terminal shows: line breaks and tabs become blanks. A half of a surrogate pair
 * is shown as the replacement character, which takes a column.
 */
const lineText = (text: string) => printableLine(text.replaceAll(/\s*[\n\t\u2028\u2029]\s*/g, ' ')).toWellFormed();

function needOf<Row>(
  { title, short = title, cut, importance = USUAL_IMPORTANCE }: Column<Row>,
  lengths: readonly number[],
  isEmpty: boolean,
): ColumnNeed {
  const longest = greatest(lengths, 0);
  const shortTitle = textWidth(short);
  const withShortTitle = Math.max(longest, shortTitle);
  return {
    full: Math.max(longest, textWidth(title)),
    withShortTitle,
    least: cut === undefined ? withShortTitle : Math.max(shortTitle, Math.min(longest, LEAST_CUT)),
    importance,
    isEmpty,
  };
}

/** Cells up to this width are aligned, however short the others are. */
const ALIGNED = 40;

/** The width of the longest cell but for those that are much longer than most: one command of 10,000 characters would pad each line to it. */
function usualWidth(lengths: readonly number[]): number {
  const median = Float64Array.from(lengths).sort()[(lengths.length - 1) >> 1] ?? 0;
  const most = Math.max(ALIGNED, 2 * median);
  return greatest(
    lengths.filter((length) => length <= most),
    0,
  );
}

const titleFor = <Row>({ title, short = title }: Column<Row>, width: number) =>
  textWidth(title) <= width ? title : shortened(short, width);

function pad(text: string, to: number, right: boolean): string {
  const blanks = ' '.repeat(Math.max(0, to - textWidth(text)));
  return right ? blanks + text : text + blanks;
}
