import type { RunEnding } from '../facts/options.ts';

/** Why a runner ends, as far as it is known before the last job ended. */
export interface RunnerEnd {
  readonly ending: RunEnding;
  readonly reason?: string;
}

export type RunEnds = ReturnType<typeof createRunEnds>;

/** The end of a run: its reason may be known long before the last job ends. Without one the runner was stopped. */
export function createRunEnds() {
  let reason: RunnerEnd = { ending: 'stopped' };
  const { promise: finished, resolve } = Promise.withResolvers<RunnerEnd>();
  return {
    /** Resolves when no job runs any more, with the reason. */
    finished,
    /** This is the reason when the last job has ended. */
    because(end: RunnerEnd) {
      reason = end;
    },
    /** No job runs any more. `end` is a reason that is known only now. */
    finish: (end: RunnerEnd = reason) => resolve(end),
  };
}
