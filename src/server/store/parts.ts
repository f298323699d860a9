import type { Slice } from './slices.ts';

/** Rows of one statement: 2 to 3 ms. */
export const ROWS = 1_000;

/** Reads a list by id, at most `ROWS` rows or their ids at a time, until a part is not full. */
export async function eachPart(
  slice: Slice,
  read: (after: number) => readonly (number | { readonly id: number })[],
): Promise<void> {
  for (let after = 0; ;) {
    const rows = read(after);
    const last = rows.at(-1);
    if (rows.length < ROWS || last === undefined) return;
    after = typeof last === 'number' ? last : last.id;
    if (slice.isOver) await slice.pause();
  }
}

/** A column of a part. */
export const numbers = (column: string | undefined) => JSON.parse(column ?? '[]') as number[];
