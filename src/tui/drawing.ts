import { after } from '../client/long-timers.ts';
import { type Abilities, difference, type Screen, screenOf } from './cells.ts';
import type { Size } from './layout.ts';
import type { Model } from './model.ts';
import { paint } from './paint.ts';

/** The screen is drawn at most four times a second for what the server says: ssh lines may be slow. Keys are drawn at once. */
const REDRAW_MS = 250;

interface DrawingOptions {
  readonly output: NodeJS.WriteStream;
  readonly abilities: Abilities;
  /** The address of the server and the user. */
  readonly where: string;
  readonly model: () => Model;
}

export interface Drawing {
  size(): Size;
  /** Sends what has changed since the last time. */
  draw(): void;
  drawSoon(): void;
  /** The terminal shows something else now: the next time everything is sent. */
  forget(): void;
  /** Nothing is sent while another program has the terminal. */
  pause(isPaused: boolean): void;
}

export function createDrawing({ output, abilities, where, model }: DrawingOptions): Drawing {
  let drawn: Screen | undefined;
  let isDue = false;
  let isPaused = false;
  const size = () => ({ width: output.columns || 80, height: output.rows || 24 });
  const draw = () => {
    isDue = false;
    if (isPaused) return;
    const next = screenOf(paint(model(), size(), where, Date.now()), size(), abilities);
    const sent = difference(drawn, next);
    // Together: terminals that know this mode show the changes at once.
    if (sent !== '') output.write(`\u001b[?2026h${sent}\u001b[?2026l`);
    drawn = next;
  };
  return {
    size,
    draw,
    drawSoon() {
      if (isDue) return;
      isDue = true;
      after(REDRAW_MS, () => {
        if (isDue) draw();
      }).unref();
    },
    forget: () => void (drawn = undefined),
    pause: (wanted) => void (isPaused = wanted),
  };
}
