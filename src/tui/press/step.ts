import type { Effect, Model } from '../model.ts';

/** What a key did to the screen, and what the program has to do. */
export interface Step {
  readonly model: Model;
  readonly effects: readonly Effect[];
}

export const only = (model: Model, ...effects: Effect[]): Step => ({ model, effects });

/** Reads the list again that the keys act on. */
export const load = (model: Model): Effect => ({ do: model.pane === 'workflows' ? 'load-workflows' : 'load-details' });

/** Rows that PgUp and PgDn pass in a list, as in Torc 1.0.0. */
export const JUMP_ROWS = 10;
/** Lines that they pass in a text, likewise. */
export const JUMP_LINES = 20;
