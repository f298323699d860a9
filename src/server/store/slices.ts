/**
 * Longest that one piece of a long request may hold the event loop.
 *
 * Too long, and everybody else waits for it; too short, and the turns of the loop in between cost more than the work.
 * The promise is that no request holds the loop for more than 50 ms, on a machine that does other things besides.
 */
export const SLICE_MS = 8;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop. Of all who wait, one goes on in each turn: a hundred long requests at the
 * same time hold the loop no longer than one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

function goOn(): void {
  const resolve = waiting.shift();
  // Before the resolved one goes on: it may wait again at once, and then stands behind the others.
  if (waiting.length > 0) setImmediate(goOn);
  resolve?.();
}

/** Says whether the present slice has lasted long enough; `await slice.pause()` then begins the next one. */
export interface Slice {
  readonly isOver: boolean;
  pause(): Promise<void>;
}

export function beginSlice(): Slice {
  let startedAt = performance.now();
  return {
    get isOver() {
      return performance.now() - startedAt >= SLICE_MS;
    },
    async pause() {
      await nextTurn();
      startedAt = performance.now();
    },
  };
}
