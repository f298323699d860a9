import type { StepId } from '../../../core/contract/files/job.ts';

/**
 * The signals of the batch system that steps have got through this process. What ends an allocation signals this process and the
 * runner: the order of the runner that follows is the same signal once more.
 */
export interface PassedSignals {
  add(id: StepId, signal: NodeJS.Signals): void;
  /** Whether the step has just got this signal. */
  wasRecent(id: StepId, signal: NodeJS.Signals): boolean;
  forget(id: StepId): void;
}

/** Too short, and a job of a busy node gets the signal twice; too long, and one that ignored it is not asked again. */
const SAME_MS = 5_000;

export function createPassedSignals(): PassedSignals {
  const passedAt = new Map<StepId, Map<NodeJS.Signals, number>>();
  return {
    add(id, signal) {
      const signals = passedAt.get(id) ?? new Map<NodeJS.Signals, number>();
      passedAt.set(id, signals.set(signal, performance.now()));
    },
    wasRecent: (id, signal) => performance.now() - (passedAt.get(id)?.get(signal) ?? -Infinity) < SAME_MS,
    forget: (id) => void passedAt.delete(id),
  };
}
