import type { Fate } from '../../cluster/batch/batch-system.ts';

/** Jobs of an allocation end together: they share an answer of Slurm that is not older than this. */
const FRESH_MS = 2_000;

/** Asks how the allocation stands; an end is asked for once. */
export function createFate(ask: () => Promise<Fate>): () => Promise<Fate> {
  let last: { readonly fate: Promise<Fate>; readonly atMs: number } | undefined;
  let isOver = false;
  return () => {
    const now = performance.now();
    if (last !== undefined && (isOver || now - last.atMs < FRESH_MS)) return last.fate;
    const fate = ask().then((found) => {
      isOver ||= found !== 'alive' && found !== 'unknown';
      return found;
    });
    last = { fate, atMs: now };
    return fate;
  };
}
