import { nextTurn } from './slices.ts';
import type { About, Turns } from './turn.ts';

/**
 * A write that is too long for one transaction: a generator, of which each step is a transaction of its own.
 *
 * Other than `work.ts` it does not hold its workflow: claims, starts and ends of other runners go on between two steps.
 * Between two steps others read and write, so each step must leave a state that is right, and what a kill leaves behind
 * after any step must be found and put right by the next server.
 */
export class Sliced<T> {
  readonly steps: Iterator<unknown, T>;
  constructor(steps: Iterator<unknown, T>) {
    this.steps = steps;
  }

  /** Carries out all steps within the current transaction, for a caller that needs it whole. */
  atOnce(): T {
    for (;;) {
      const step = this.steps.next();
      if (step.done === true) return step.value;
    }
  }
}

/** The result of a write, after all its steps, each in a later turn of the event loop. */
export async function inSteps<T>(turns: Turns, sliced: Sliced<T>, about?: About): Promise<T> {
  for (;;) {
    await nextTurn();
    // Without an end to its patience: what was done before must not be left without its end.
    const step = await turns.write(() => sliced.steps.next(), Infinity, about);
    if (step.done === true) return step.value;
  }
}
