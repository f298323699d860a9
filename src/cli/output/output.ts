import { styleText } from 'node:util';
import { printable } from '../../core/text/printable.ts';
import { withShortWords } from '../../core/quantity/short-words.ts';
import { type Column, csvText, tableOf } from './table.ts';

export type Format = 'table' | 'json' | 'csv';

export interface ListView<Row> {
  readonly items: readonly Row[];
  readonly columns: readonly Column<Row>[];
  /** `jobs`: the kind of items, for `Total: 3 jobs`. */
  readonly things: string;
  /** Printed instead of an empty table. */
  readonly empty: string;
  /** Printed above the table. */
  readonly title?: string;
  /** The items as JSON if they differ from the rows; an object that replaces `{items}`. */
  readonly json?: unknown;
}

/**
 * Everything that the program prints. Only results go to standard output; messages for the user (notices, warnings,
 * progress) go to standard error. Colours only on a terminal.
 *
 * Names and messages come from files, servers and other programs. Text for users shows their control characters instead
 * of sending them to the terminal; colours are added afterwards.
 */
export interface Output {
  readonly format: Format;
  /** The largest width of a table among the results, and among the messages: unlimited in a pipe or a file. */
  readonly width: number;
  readonly messageWidth: number;
  /** A list: a table, CSV, or `{"items": […]}`. */
  list<Row>(view: ListView<Row>): void;
  /** One record or report: as JSON, or as text. Refused as CSV. */
  record(what: string, json: unknown, text: string): void;
  /** Refuses CSV as `record` does: for commands that change something, before they do. */
  recordOnly(what: string): void;
  /** The result of a command as text, in any format. */
  text(text: string): void;
  /** The result of a command as JSON, in any format. */
  json(json: unknown): void;
  /** The result of a command as JSON on one line, if JSON was requested. */
  jsonLine(json: unknown): void;
  /** No notices and no progress are shown: results, warnings and errors alone. */
  readonly isQuiet: boolean;
  /** A message that the user can do without. */
  notice(text: string): void;
  /** What belongs to a warning or an error, as the output of a job that failed. */
  detail(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Emphasis on a terminal's standard error, plain text elsewhere; for texts that this output prints. */
  style(style: Style, text: string): string;
  /** The same for a text that is written to the terminal without this output. */
  terminalText(style: Style, text: string): string;
}

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export interface Streams {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number };
}

export class CsvRefused extends Error {}

/** `wide`: tables have their full width on a terminal, too. */
export function createOutput(
  format: Format,
  { out, err }: Streams,
  colours: boolean,
  { wide: isWide, quiet: isQuiet }: { readonly wide: boolean; readonly quiet: boolean } = { wide: false, quiet: false },
): Output {
  // Random, so no name can contain it.
  const mark = colours ? `\u{f0000}${crypto.randomUUID()}` : '';
  const paint = (which: Style, text: string) => (colours ? styleText(which, text, { validateStream: false }) : text);
  const style = (which: Style, text: string) => (colours ? `${mark}${which} ${text}${mark}/` : text);
  const painted = (text: string) =>
    colours
      ? text.replaceAll(new RegExp(`${mark}(\\w+) (.*?)${mark}/`, 'gsu'), (_, which: Style, inner: string) =>
          paint(which, inner),
        )
      : text;
  // Part by part, as a word that is cut must not lose the mark behind it.
  const short = (text: string) => (colours ? text.split(mark).map(withShortWords).join(mark) : withShortWords(text));
  const say = (text: string) => void err.write(`${painted(printable(short(text)))}\n`);
  const [width, messageWidth] = isWide ? [Infinity, Infinity] : [widthOf(out), widthOf(err)];
  const notice = (text: string) => (isQuiet ? undefined : say(text));
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
    width,
    messageWidth,
    list({ items, columns, things, empty, title, json }) {
      if (format === 'json') put(pretty(json ?? { items }));
      // Unescaped for programs.
      else if (format === 'csv') (out.isTTY === true ? print : put)(csvText(columns, items));
      else if (items.length === 0) print(empty);
      else {
        const { text, leftOut } = tableOf(columns, items, width);
        print(
          `${title === undefined ? '' : `${title}\n`}${text}\n\nTotal: ${items.length} ${items.length === 1 ? singular(things) : things}`,
        );
        if (leftOut.length > 0) notice(`Columns not shown: ${leftOut.join(', ')}. Use --wide to see them.`);
      }
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
    isQuiet,
    notice,
    detail: say,
    warn: (text) => say(`${style('yellow', 'warning:')} ${text}`),
    error: (text) =>
      say(
        text.startsWith('Error') ? text.replace(/^Error/, style('red', 'Error')) : `${style('red', 'Error:')} ${text}`,
      ),
    style,
    terminalText: (which, text) => paint(which, printable(text)),
  };
}

/** `1 workflow`, `1 entry`, `1 process`. */
const singular = (things: string): string =>
  things.replace(
    /(?:(ss)es|(ies)|s)$/,
    (_, doubled?: string, ies?: string) => doubled ?? (ies === undefined ? '' : 'y'),
  );

/** The width of a terminal that does not report it. */
const USUAL_WIDTH = 80;

const widthOf = ({ isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number }): number =>
  isTTY === true ? columns || USUAL_WIDTH : Infinity;

/** JSON for users and programs. Escaped characters in it have the same meaning. */
const pretty = (value: unknown) => printable(JSON.stringify(value, undefined, 2) ?? 'null');
