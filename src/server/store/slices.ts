/**
 * The maximum time that one piece of a long request may block the event loop.
 *
 * Too long, and all others wait for it; too short, and the event-loop iterations in between cost more than the work. No
 * request may block the loop for more than 50 ms, on a machine that does other things too.
 */
export const SLICE_MS = 8;

const waiting: (() => void)[] = [];

/**
 * Resolves in a later event-loop iteration. Of all waiting calls one continues in each iteration: a hundred long
 * requests at the same time block the loop no longer than one.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });

function goOn(): void {
  const resolve = waiting.shift();
  // Before the resolved one continues: it may wait again at once, and is then queued behind the others.
  if (waiting.length > 0) setImmediate(goOn);
  resolve?.();
}

/** Decides whether the present slice has lasted long enough; `await slice.pause()` then begins the next one. */
export interface Slice {
  readonly isOver: boolean;
  pause(): Promise<void>;
}

/** The result of all steps, in as many slices as they take. */
export async function inSlices<T>(steps: Iterator<unknown, T>, slice = beginSlice()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.pause();
  }
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
