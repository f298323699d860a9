import { printableLine } from '../../../core/text/printable.ts';
import type { Output } from '../../output/output.ts';
import { shortened } from '../../../core/text/text-width.ts';
import type { PictureLine } from './top-picture.ts';

/** A picture on a terminal that is drawn again in its place. */
export interface LivePicture {
  draw(lines: readonly PictureLine[]): void;
  /** Something else was printed, or the terminal has another size: the next picture is drawn whole. */
  forget(): void;
}

interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

/**
 * Between two pictures the cursor stands in the line below, as after any other output: so a program that is killed or
 * suspended leaves nothing to restore.
 */
export function createLivePicture(output: Output, terminal: Terminal): LivePicture {
  let before: readonly string[] = [];
  return {
    draw(lines) {
      const { width, height } = sizeOf(terminal);
      const next = lines.slice(0, height).map(({ text, style }) => {
        const line = shortened(printableLine(text), width);
        return style === undefined ? line : output.terminalText(style, line);
      });
      terminal.write(redrawing(before, next));
      before = next;
    },
    forget() {
      before = [];
    },
  };
}

/** The room for a picture: the line of the cursor is below it, and a full line would wrap in some terminals. */
export const sizeOf = ({ columns, rows }: Pick<Terminal, 'columns' | 'rows'>) => ({
  width: Math.max(1, (columns || 80) - 1),
  height: Math.max(1, (rows || 24) - 1),
});

const BEGIN_UPDATE = '\u001b[?2026h';
const END_UPDATE = '\u001b[?2026l';

/** What makes one picture of another that ends above the cursor: only lines that differ are sent. */
export function redrawing(before: readonly string[], next: readonly string[]): string {
  const up = before.length === 0 ? '' : `\u001b[${before.length}A`;
  const lines = next.map((line, at) => (before[at] === line ? '\n' : `\u001b[2K${line}\n`));
  return `${BEGIN_UPDATE}${up}${lines.join('')}\u001b[J${END_UPDATE}`;
}
