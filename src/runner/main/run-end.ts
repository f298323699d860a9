import type { RunEnding } from '../facts/options.ts';

/** Why a runner ends, as far as it is known before the last job ended. */
export interface RunnerEnd {
  readonly ending: RunEnding;
  readonly reason?: string;
}

/** The end of a run: its reason may be known long before the last job ends. */
export interface RunEnds {
  /** Resolves when no job runs any more, with the reason. */
  readonly finished: Promise<RunnerEnd>;
  /** This is the reason when the last job has ended. */
  because(end: RunnerEnd): void;
  /** No job runs any more. `end` is a reason that is known only now. */
  finish(end?: RunnerEnd): void;
}

/** Without another reason the runner was stopped. */
export function createRunEnds(): RunEnds {
  let reason: RunnerEnd = { ending: 'stopped' };
  const { promise: finished, resolve } = Promise.withResolvers<RunnerEnd>();
  return {
    finished,
    because(end) {
      reason = end;
    },
    finish: (end = reason) => resolve(end),
  };
}
