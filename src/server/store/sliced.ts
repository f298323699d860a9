import { nextTurn } from './slices.ts';
import type { About } from './held-workflows.ts';
import type { Turns } from './turn.ts';

/**
 * A write that is too long for one transaction: a generator whose steps are separate transactions.
 *
 * Unlike `work.ts` it does not lock its workflow: claims, starts and ends of other runners continue between two steps.
 * Each step must leave a consistent state, and the next server must find and repair what a kill leaves after any step.
 */
export class Sliced<T> {
  readonly steps: Iterator<unknown, T>;
  constructor(steps: Iterator<unknown, T>) {
    this.steps = steps;
  }

  /** Executes all steps within the current transaction, for a caller that needs one transaction. */
  atOnce(): T {
    for (;;) {
      const step = this.steps.next();
      if (step.done === true) return step.value;
    }
  }
}

/** The result of a write after all its steps, each in a later event-loop iteration. */
export async function inSteps<T>(turns: Turns, sliced: Sliced<T>, about?: About): Promise<T> {
  for (;;) {
    await nextTurn();
    // Without a time limit: steps that were executed must be followed by their end.
    const step = await turns.write(() => sliced.steps.next(), Infinity, about);
    if (step.done === true) return step.value;
  }
}
