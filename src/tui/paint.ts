import { counted, grouped } from '../core/quantity/count-text.ts';
import { type ColumnNeed, fitColumns } from '../core/text/fit-columns.ts';
import { shortened, textWidth } from '../core/text/text-width.ts';
import { printableLine } from '../core/text/printable.ts';
import type { CellLine, TextSpan } from './cells.ts';
import { dialogHeight, heights, type Size, tabs, textLines, topOf, topRow } from './layout.ts';
import { activeList, type Dialog, type ListState, type Model, type Prompt, shownRows, viewOf } from './model.ts';
import { workflows } from './views/records.ts';
import type { View, ViewColumn } from './views/view.ts';

/** Blanks between two columns. */
const GAP = 2;
/** The least width to which a cell is cut. */
const LEAST_CUT = 8;

/** The lines of the whole screen. */
export function paint(model: Model, { width, height }: Size, where: string, nowMs: number): CellLine[] {
  const { forWorkflows, forDetails } = heights(model, height);
  const isActive = (pane: Model['pane']) => model.pane === pane;
  const body =
    model.dialog === undefined
      ? paintList(viewOf(model), model.details, { width, height: forDetails }, isActive('details'), nowMs)
      : paintDialog(model.dialog, model, { width, height });
  return [
    paintTop(model, width, where),
    ...paintList(workflows, model.workflows, { width, height: forWorkflows }, isActive('workflows'), nowMs),
    paintTabs(model, width),
    ...body,
    paintBottom(model, width, nowMs),
  ];
}

function paintTop({ workflow, away, isAllUsers }: Model, width: number, where: string): CellLine {
  const right = away === undefined ? '' : ' the server does not answer';
  const left = `torc tui · ${where}${isAllUsers ? ' · all users' : ''}${workflow === undefined ? '' : ` · ${workflow.name} (workflow ${workflow.id})`}`;
  const text = shortened(printableLine(left), Math.max(0, width - textWidth(right)));
  return [
    { text: text.padEnd(Math.max(0, width - textWidth(right))), style: 'bold' },
    { text: right, style: 'red' },
  ];
}

const paintTabs = (model: Model, width: number): CellLine =>
  tabs(model, width).map(({ view, text }): TextSpan => ({ text, style: view === model.viewIndex ? 'inverse' : 'dim' }));

/** A line of titles, and rows around the selected one. */
function paintList(view: View, list: ListState, { width, height }: Size, isActive: boolean, nowMs: number): CellLine[] {
  const rows = shownRows(view, list, nowMs);
  const at = Math.max(0, Math.min(list.at, rows.length - 1));
  const top = topRow(at, rows.length, height);
  const shown = rows.slice(top, top + height);
  const cells = shown.map((row) => view.columns.map((column) => printableLine(column.text(row, nowMs))));
  const widths = widthsOf(view.columns, cells, width);
  const line = (texts: readonly string[], styleOf: (column: number) => TextSpan['style']): TextSpan[] =>
    view.columns.flatMap((column, index): TextSpan[] => {
      const to = widths[index];
      if (to === undefined) return [];
      return [{ text: padded(texts[index] as string, to, column), style: styleOf(index) }, { text: ' '.repeat(GAP) }];
    });
  const titles = view.columns.map(({ title }) => titleOf(view, list, title));
  const body = shown.map((row, index): CellLine => {
    const isMarked = list.selected.size > 0 && list.selected.has(view.jobOf?.(row) ?? -1);
    const spans = line(cells[index] as string[], (column) => view.columns[column]?.style?.(row));
    // A sign in the gap before the second column: also where a terminal has one style.
    if (isMarked && spans[1] !== undefined) spans[1] = { text: '*'.padEnd(GAP), style: 'yellow' };
    if (top + index !== at || !isActive) return spans;
    const text = spans.map((span) => span.text).join('');
    return [{ text: text + ' '.repeat(Math.max(0, width - textWidth(text))), style: 'inverse' }];
  });
  const empty: CellLine[] =
    rows.length === 0 ? [[{ text: list.isRead ? 'nothing here' : 'reading…', style: 'dim' }]] : [];
  return [line(titles, () => 'bold'), ...filled([...body, ...empty], height)];
}

/** The title of a column, with the order of the rows if they are sorted by it. */
function titleOf(view: View, { sort }: ListState, title: string): string {
  if (sort === undefined || view.sorts[sort.index]?.title !== title) return title;
  return `${title} ${sort.isReverse ? '↓' : '↑'}`;
}

function widthsOf(columns: readonly ViewColumn<unknown>[], cells: readonly (readonly string[])[], width: number) {
  const needs = columns.map(({ title, cut, importance }, at): ColumnNeed => {
    const longest = cells.reduce((most, row) => Math.max(most, textWidth(row[at] as string)), 0);
    // With the sign of an order.
    const full = Math.max(longest, textWidth(title) + 2);
    const least = cut === undefined ? full : Math.min(full, Math.max(LEAST_CUT, textWidth(title) + 2));
    return { full, withShortTitle: full, least, importance, isEmpty: false };
  });
  // It counts borders, which this list does not have, and does not know beforehand how many columns it leaves out.
  for (let available = width + columns.length + 3; ; available -= 1) {
    const widths = fitColumns(needs, available);
    const kept = widths.filter((each) => each !== undefined);
    if (available <= width || kept.reduce((sum, each) => sum + each + GAP, -GAP) <= width) return widths;
  }
}

function padded(text: string, width: number, { align, cut }: ViewColumn<unknown>): string {
  const fits = shortened(text, width, cut);
  const blanks = ' '.repeat(Math.max(0, width - textWidth(fits)));
  return align === 'right' ? blanks + fits : fits + blanks;
}

function paintDialog(dialog: Dialog, model: Model, size: Size): CellLine[] {
  const height = dialogHeight(model, size) + 1;
  if (dialog.kind === 'confirm')
    return filled([[{ text: '' }], [{ text: `  ${dialog.question} (y/n)`, style: 'yellow' }]], height);
  const lines = textLines(dialog, size);
  const { top } = topOf(dialog, model, size);
  const needle = dialog.find.toLowerCase();
  const styleOf = (text: string, at: number): TextSpan['style'] => {
    if (at === dialog.found) return 'inverse';
    return needle !== '' && text.toLowerCase().includes(needle) ? 'yellow' : undefined;
  };
  const keys =
    dialog.source?.from === 'job' ? 'Tab: stdout or stderr, / searches, Esc closes' : '/ searches, Esc closes';
  return filled(
    [
      [
        { text: dialog.title, style: 'bold' },
        { text: `  (${keys})`, style: 'dim' },
      ],
      ...lines
        .slice(top, top + height - 1)
        .map((text, at): CellLine => [{ text: '  ' }, { text, style: styleOf(text, top + at) }]),
    ],
    height,
  );
}

const filled = (lines: readonly CellLine[], height: number): CellLine[] =>
  Array.from({ length: height }, (_, at) => lines[at] ?? []);

function promptText({ kind, filterIndex, text }: Prompt, view: View): string {
  switch (kind) {
    case 'command':
      return `:torc ${text}`;
    case 'filter':
      return `filter by ${view.filters[filterIndex]?.title ?? ''} (Tab: next column): ${text}`;
    case 'search':
    case 'find':
      return `search: ${text}`;
  }
}

function paintBottom(model: Model, width: number, nowMs: number): CellLine {
  const { prompt, note, away } = model;
  const view = model.pane === 'workflows' ? workflows : viewOf(model);
  if (prompt !== undefined) {
    // The end of what is typed stays visible.
    const typed = printableLine(promptText(prompt, view));
    return [
      { text: textWidth(typed) < width ? typed : `…${typed.slice(2 - width)}`, style: 'yellow' },
      { text: ' ', style: 'inverse' },
    ];
  }
  if (note !== undefined) return [{ text: note.text, style: note.isError ? 'red' : 'green' }];
  if (away !== undefined) return [{ text: away, style: 'red' }];
  const list = activeList(model);
  const shown = shownRows(view, list, nowMs).length;
  const from = list.offset + (shown === 0 ? 0 : 1);
  const place = `${grouped(from)}–${grouped(list.offset + shown)} of ${grouped(Math.max(list.total, shown))}`;
  const narrowed = [
    ...(list.filter === undefined ? [] : [`${view.filters[list.filter.index]?.title}: ${list.filter.text}`]),
    ...(list.search === '' ? [] : [`search: ${list.search}`]),
    ...(list.selected.size === 0 ? [] : [`${counted(list.selected.size, 'job')} selected`]),
  ].map((text) => `${text} (c clears)`);
  const left = [place, ...narrowed, '? help', 'q quit'].join(' · ');
  return [{ text: shortened(left, width), style: 'dim' }];
}
