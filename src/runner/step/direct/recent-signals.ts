import type { StepId } from '../../../core/contract/files/job.ts';

/**
 * The signals that steps have got from one side: the batch system through this process, or the runner by an order. What ends an
 * allocation signals this process and the runner, in any order: then the second one is the same signal once more.
 */
export interface RecentSignals {
  add(id: StepId, signal: NodeJS.Signals): void;
  /** Whether the step has just got this signal. */
  has(id: StepId, signal: NodeJS.Signals): boolean;
  forget(id: StepId): void;
}

/** Too short, and a job of a busy node gets the signal twice; too long, and one that ignored it is not asked again. */
const SAME_MS = 5_000;

export function createRecentSignals(): RecentSignals {
  const sentAt = new Map<StepId, Map<NodeJS.Signals, number>>();
  return {
    add(id, signal) {
      const signals = sentAt.get(id) ?? new Map<NodeJS.Signals, number>();
      sentAt.set(id, signals.set(signal, performance.now()));
    },
    has: (id, signal) => performance.now() - (sentAt.get(id)?.get(signal) ?? -Infinity) < SAME_MS,
    forget: (id) => void sentAt.delete(id),
  };
}
