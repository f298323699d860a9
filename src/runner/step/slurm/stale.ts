import { after, type Timer } from '../../../client/long-timers.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import { readMark } from './outlived.ts';
import type { RunningStep } from './running-step.ts';

/**
 * srun waits for ever for a step whose daemon was killed. If the command had ended before, its mark says so: such a step is
 * over, and its srun is not waited for.
 */
export interface StaleOptions {
  readonly running: ReadonlyMap<StepId, RunningStep>;
  /** The command of this step has ended some time ago, and its srun has not. */
  readonly onStale: (id: StepId, step: RunningStep) => void;
}

/** srun ends within a second of its command; more on a busy node. Each look reads the marks of all running steps. */
const LOOK_MS = 20_000;

export function watchForStale({ running, onStale }: StaleOptions): { close(): void } {
  let ended = new Set<StepId>();
  let timer: Timer;
  const look = () => {
    const now = new Set<StepId>();
    for (const [id, step] of running) {
      if (!step.hasBegun || readMark(step.mark).code === undefined) continue;
      now.add(id);
      if (ended.has(id)) onStale(id, step);
    }
    ended = now;
    timer = after(LOOK_MS, look);
  };
  timer = after(LOOK_MS, look);
  return { close: () => timer.cancel() };
}
