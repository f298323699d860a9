import { printableLine } from '../core/text/printable.ts';
import { textWidth } from '../core/text/text-width.ts';

export type CellStyle = 'bold' | 'dim' | 'inverse' | 'red' | 'green' | 'yellow' | 'cyan';

export interface TextSpan {
  readonly text: string;
  readonly style?: CellStyle | undefined;
}

export type CellLine = readonly TextSpan[];

/** What a terminal can show. */
export interface Abilities {
  readonly hasColours: boolean;
  readonly hasUnicode: boolean;
}

/** One place of the screen; the second place of a wide character is empty. */
interface Cell {
  readonly text: string;
  readonly style: CellStyle | undefined;
}

export type Screen = readonly (readonly Cell[])[];

const BLANK: Cell = { text: ' ', style: undefined };
const SECOND: Cell = { text: '', style: undefined };

const COLOURS: ReadonlySet<CellStyle | undefined> = new Set(['red', 'green', 'yellow', 'cyan']);
const CODES: Readonly<Record<CellStyle, number>> = {
  bold: 1,
  dim: 2,
  inverse: 7,
  red: 31,
  green: 32,
  yellow: 33,
  cyan: 36,
};

/** For terminals without UTF-8: the signs that this program draws. */
const PLAIN: Readonly<Record<string, string>> = {
  '…': '~',
  '–': '-',
  '—': '-',
  '─': '-',
  '│': '|',
  '·': '|',
  '✓': '+',
  '✗': 'x',
  '◷': '*',
  '↑': '^',
  '↓': 'v',
  '’': "'",
};

let segmenter: Intl.Segmenter | undefined;

/** The lines as a screen of this size: cut, filled with blanks, and with what the terminal can show. */
export function screenOf(
  lines: readonly CellLine[],
  { width, height }: { readonly width: number; readonly height: number },
  abilities: Abilities,
): Screen {
  return Array.from({ length: height }, (_, row) => cellsOf(lines[row] ?? [], width, abilities));
}

function cellsOf(line: CellLine, width: number, { hasColours, hasUnicode }: Abilities): Cell[] {
  const cells: Cell[] = [];
  for (const { text: given, style: wanted } of line) {
    const style = hasColours || !COLOURS.has(wanted) ? wanted : undefined;
    // Names come from files and servers, and must not steer the terminal.
    const printed = printableLine(given);
    const text = hasUnicode ? printed : plainText(printed);
    for (const character of charactersOf(text)) {
      const columns = textWidth(character);
      if (columns === 0) continue;
      if (cells.length + columns > width) break;
      cells.push({ text: character, style });
      if (columns === 2) cells.push({ ...SECOND, style });
    }
  }
  while (cells.length < width) cells.push(BLANK);
  return cells;
}

/** Latin letters and signs need no segmenter, which takes 20 ms to load. */
function charactersOf(text: string): Iterable<string> {
  // eslint-disable-next-line no-control-regex
  if (/^[\u0020-\u007e\u00a0-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u27bf]*$/.test(text)) return text;
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

// eslint-disable-next-line no-control-regex
const plainText = (text: string) => text.replaceAll(/[^\u0000-\u007f]/gu, (character) => PLAIN[character] ?? '?');

/** What turns one screen into another: of each line the runs of places that differ. Nothing if they are equal. */
export function difference(before: Screen | undefined, next: Screen): string {
  let sent = '';
  for (const [row, cells] of next.entries()) {
    const old = before?.[row];
    for (let at = 0; at < cells.length;) {
      if (isSame(old?.[at], cells[at])) {
        at += 1;
        continue;
      }
      // A wide character is sent whole.
      const from = cells[at]?.text === '' ? at - 1 : at;
      let to = at;
      while (to < cells.length && !isSame(old?.[to], cells[to])) to += 1;
      sent += `\u001b[${row + 1};${from + 1}H${painted(cells.slice(from, to))}`;
      at = to;
    }
  }
  return sent;
}

const isSame = (one: Cell | undefined, other: Cell | undefined): boolean =>
  one?.text === other?.text && one?.style === other?.style;

function painted(cells: readonly Cell[]): string {
  let style: CellStyle | undefined;
  let text = '';
  for (const cell of cells) {
    if (cell.style !== style) text += cell.style === undefined ? '\u001b[0m' : `\u001b[0;${CODES[cell.style]}m`;
    style = cell.style;
    text += cell.text;
  }
  return style === undefined ? text : `${text}\u001b[0m`;
}

/** The text of a screen, without blanks at the ends of lines. */
export const screenText = (screen: Screen): string =>
  screen
    .map((cells) =>
      cells
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
