import type { ScreenEffect, Model } from '../model.ts';

/** What a key did to the screen, and what the program has to do. */
export interface PressResult {
  readonly model: Model;
  readonly effects: readonly ScreenEffect[];
}

export const only = (model: Model, ...effects: ScreenEffect[]): PressResult => ({ model, effects });

/** Reads the list again that the keys act on. */
export const load = (model: Model): ScreenEffect => ({
  do: model.pane === 'workflows' ? 'load-workflows' : 'load-details',
});

/** Rows that PgUp and PgDn pass in a list, as in Torc 1.0.0. */
export const JUMP_ROWS = 10;
/** Lines that they pass in a text, likewise. */
export const JUMP_LINES = 20;
