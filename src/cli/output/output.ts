import { styleText } from 'node:util';
import { type Column, csvText, tableText } from './table.ts';

export type Format = 'table' | 'json' | 'csv';

export interface ListView<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** `jobs`: what the items are, for `Total: 3 jobs`. */
  readonly things: string;
  /** Said instead of an empty table. */
  readonly empty: string;
  /** Said above the table. */
  readonly title?: string;
  /** The items as JSON where they differ from the rows; an object to take the place of `{items}`. */
  readonly json?: unknown;
}

/**
 * Everything that the program prints. Results go to standard output and nothing else does; words for the person (notices,
 * warnings, progress) go to standard error. Colours only on a terminal.
 */
export interface Output {
  readonly format: Format;
  /** A list: a table, CSV, or `{"items": […]}`. */
  list<Row>(view: ListView<Row>): void;
  /** One record or report: JSON as it is, or as text. Refused as CSV. */
  record(what: string, json: unknown, text: string): void;
  /** Refuses CSV as `record` does: for commands that change something, before they do. */
  recordOnly(what: string): void;
  /** The result of a command as text, whatever the format. */
  text(text: string): void;
  /** The result of a command as JSON, whatever the format. */
  json(json: unknown): void;
  /** The result of a command as JSON on one line, when JSON is asked for. */
  jsonLine(json: unknown): void;
  /** For the person. */
  notice(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Emphasis on a terminal's standard error, the bare text elsewhere. */
  style(style: Style, text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Streams {
  readonly out: { write(text: string): unknown };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

export class CsvRefused extends Error {}

export function createOutput(format: Format, { out, err }: Streams, colours: boolean): Output {
  const say = (text: string) => void err.write(`${text}\n`);
  const style = (which: Style, text: string) => (colours ? styleText(which, text, { validateStream: false }) : text);
  const print = (text: string) => void out.write(`${text}\n`);
  const recordOnly = (what: string) => {
    if (format !== 'csv') return;
    throw new CsvRefused(
      `csv format is only supported for list commands; '${what}' returns a single record. Use -f json or -f table.`,
    );
  };
  return {
    format,
    list({ items, columns, things, empty, title, json }) {
      if (format === 'json') print(pretty(json ?? { items }));
      else if (format === 'csv') print(csvText(columns, items));
      else if (items.length === 0) print(empty);
      else
        print(
          `${title === undefined ? '' : `${title}\n`}${tableText(columns, items)}\n\nTotal: ${items.length} ${things}`,
        );
    },
    record(what, json, text) {
      recordOnly(what);
      print(format === 'json' ? pretty(json) : text);
    },
    recordOnly,
    text: print,
    json: (value) => print(pretty(value)),
    jsonLine(json) {
      if (format === 'json') print(JSON.stringify(json));
    },
    notice: say,
    warn: (text) => say(`${style('yellow', 'warning:')} ${text}`),
    error: (text) =>
      say(
        text.startsWith('Error') ? text.replace(/^Error/, style('red', 'Error')) : `${style('red', 'Error:')} ${text}`,
      ),
    style,
  };
}

/** JSON for people and programs. */
const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);
