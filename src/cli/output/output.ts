import { randomUUID } from 'node:crypto';
import { styleText } from 'node:util';
import { printable } from '../../core/contract/printable.ts';
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
 *
 * Names and messages come from files, servers and other programs. Whatever is printed for people shows their control characters
 * instead of sending them to the terminal; the colours are put in afterwards.
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
  /** Emphasis on a terminal's standard error, the bare text elsewhere; for texts that this output prints. */
  style(style: Style, text: string): string;
  /** The same for a text that is written to the terminal past this output. */
  terminalText(style: Style, text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Streams {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean };
}

export class CsvRefused extends Error {}

export function createOutput(format: Format, { out, err }: Streams, colours: boolean): Output {
  // Nobody can have put it into a name.
  const mark = colours ? `\u{f0000}${randomUUID()}` : '';
  const paint = (which: Style, text: string) => (colours ? styleText(which, text, { validateStream: false }) : text);
  const style = (which: Style, text: string) => (colours ? `${mark}${which} ${text}${mark}/` : text);
  const painted = (text: string) =>
    colours
      ? text.replaceAll(new RegExp(`${mark}(\\w+) (.*?)${mark}/`, 'gsu'), (_, which: Style, inner: string) =>
          paint(which, inner),
        )
      : text;
  const say = (text: string) => void err.write(`${painted(printable(text))}\n`);
  const put = (text: string) => void out.write(`${text}\n`);
  const print = (text: string) => put(printable(text));
  const recordOnly = (what: string) => {
    if (format !== 'csv') return;
    throw new CsvRefused(
      `csv format is only supported for list commands; '${what}' returns a single record. Use -f json or -f table.`,
    );
  };
  return {
    format,
    list({ items, columns, things, empty, title, json }) {
      if (format === 'json') put(pretty(json ?? { items }));
      // For programs as it is.
      else if (format === 'csv') (out.isTTY === true ? print : put)(csvText(columns, items));
      else if (items.length === 0) print(empty);
      else
        print(
          `${title === undefined ? '' : `${title}\n`}${tableText(columns, items)}\n\nTotal: ${items.length} ${things}`,
        );
    },
    record(what, json, text) {
      recordOnly(what);
      if (format === 'json') put(pretty(json));
      else print(text);
    },
    recordOnly,
    text: print,
    json: (value) => put(pretty(value)),
    jsonLine(json) {
      if (format === 'json') put(printable(JSON.stringify(json)));
    },
    notice: say,
    warn: (text) => say(`${style('yellow', 'warning:')} ${text}`),
    error: (text) =>
      say(
        text.startsWith('Error') ? text.replace(/^Error/, style('red', 'Error')) : `${style('red', 'Error:')} ${text}`,
      ),
    style,
    terminalText: (which, text) => paint(which, printable(text)),
  };
}

/** JSON for people and programs. What is shown otherwise in it means the same. */
const pretty = (value: unknown) => printable(JSON.stringify(value, undefined, 2) ?? 'null');
