import type { createFigures } from '../support/figures.ts';

/** What each part of the measurement gets. */
export interface Part {
  /** The package. */
  readonly folder: string;
  readonly factor: number;
  readonly note: ReturnType<typeof createFigures>['note'];
}

export const scaled = (sizes: readonly number[], factor: number): number[] =>
  sizes.map((size) => Math.max(1, Math.round(size * factor)));
