import { printableLine } from '../core/text/printable.ts';
import { shortened, textWidth } from '../core/text/text-width.ts';
import type { Model, TextDialog } from './model.ts';
import { detailViews } from './views/all.ts';

/** How the lines of the screen are shared, and how a text fills its part. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Lines that are no rows: the line at the top, the tabs, the titles of both lists and the line at the bottom. */
const FRAME = 5;

/** Rows of the list of workflows and of the view below it. */
export function heights({ workflows }: Model, height: number): { forWorkflows: number; forDetails: number } {
  const forWorkflows = Math.max(1, Math.min(Math.floor((height - FRAME) / 3), Math.max(3, workflows.rows.length)));
  return { forWorkflows, forDetails: Math.max(1, height - FRAME - forWorkflows) };
}

/** The first row of a list that is shown: the selected one stands in the middle. */
export const topRow = (at: number, rows: number, height: number): number =>
  Math.max(0, Math.min(at - Math.floor(height / 2), rows - height));

interface Tab {
  readonly view: number;
  readonly text: string;
}

/** The names of the views; on a narrow terminal those around the one that is shown. */
export function tabs({ viewIndex }: Pick<Model, 'viewIndex'>, width: number): readonly Tab[] {
  const all = detailViews.map(({ sign, name }, view): Tab => ({ view, text: ` ${sign} ${name} ` }));
  const widthOf = (from: number) =>
    textWidth(
      all
        .slice(from, viewIndex + 2)
        .map(({ text }) => text)
        .join(''),
    );
  let from = 0;
  while (from < viewIndex && widthOf(from) > width) from += 1;
  return all.slice(from);
}

/** Lines of a text that are seen at once: it has the rows of the view, below a title. */
export const dialogHeight = (model: Model, { height }: Size): number => heights(model, height).forDetails;

const kept = new WeakMap<readonly string[], { readonly width: number; readonly lines: readonly string[] }>();

/** The lines of a text, wrapped for this screen. */
export function textLines({ lines: given }: TextDialog, { width }: Size): readonly string[] {
  const found = kept.get(given);
  if (found?.width === width) return found.lines;
  const lines = given.flatMap((line) => wrapped(printableLine(line.replaceAll('\t', '    ')), Math.max(10, width - 2)));
  kept.set(given, { width, lines });
  return lines;
}

/** The first line of a text that is shown, and the last that may be the first. */
export function topOf(dialog: TextDialog, model: Model, size: Size): { readonly top: number; readonly last: number } {
  const last = Math.max(0, textLines(dialog, size).length - dialogHeight(model, size));
  return { top: dialog.top === 'end' ? last : Math.min(dialog.top, last), last };
}

/** The text in lines of at most this width. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let left = text;
  while (textWidth(left) > width) {
    const part = shortened(left, width + 1).slice(0, -1);
    const blank = part.lastIndexOf(' ');
    const end = blank > width / 2 ? blank : Math.max(1, part.length);
    lines.push(left.slice(0, end).trimEnd());
    left = left.slice(end).trimStart();
  }
  return [...lines, left];
}
