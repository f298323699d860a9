import { handledSignals } from '../../../cluster/host/signal-handling.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { type AskedToEnd, askerOf, type SeenSignal } from '../../../core/attempt/asked-to-end.ts';

/** The signals that reached steps of this machine, and whether their first processes handle them. */
export interface SeenSignals {
  /** This runner is about to signal a step. */
  sending(id: StepId, pid: number, signal: NodeJS.Signals): void;
  /** Slurm signals all processes of the allocation: these, and those of steps that have ended just now. */
  allocation(signal: NodeJS.Signals, running: ReadonlyMap<StepId, number>): void;
  /** The step has ended; what ended it may have signaled this process too, and that arrives in the same turn. */
  ended(id: StepId): void;
  /** What asked it to end. To be called once, a turn after its end. */
  take(id: StepId): AskedToEnd | undefined;
}

const nowSeconds = () => performance.now() / 1000;

export function createSeenSignals(): SeenSignals {
  const seen = new Map<StepId, SeenSignal[]>();
  const ends = new Map<StepId, number>();
  const add = (id: StepId, signal: NodeJS.Signals, handled: bigint | undefined) => {
    const signals = seen.get(id) ?? [];
    seen.set(id, signals);
    signals.push({ name: signal.replace(/^SIG/, ''), handled, atSeconds: nowSeconds() });
  };
  return {
    sending(id, pid, signal) {
      if (signal === 'SIGKILL') return;
      const handled = handledSignals(pid);
      // Otherwise it has ended before the signal.
      if (handled !== undefined) add(id, signal, handled);
    },
    allocation(signal, running) {
      for (const [id, pid] of running) add(id, signal, handledSignals(pid));
      for (const id of ends.keys()) add(id, signal, undefined);
    },
    ended: (id) => void ends.set(id, nowSeconds()),
    take(id) {
      const asked = askerOf(seen.get(id) ?? [], ends.get(id) ?? nowSeconds());
      seen.delete(id);
      ends.delete(id);
      return asked;
    },
  };
}
