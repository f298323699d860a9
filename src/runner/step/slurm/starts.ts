import { statSync } from 'node:fs';
import { after, type Timer } from '../../../client/long-timers.ts';
import type { StepId } from '../../../core/contract/files/job.ts';
import type { RunningStep } from './running-step.ts';

/**
 * Steps that are launched and have not begun. Each start takes the controller 20 to 50 ms, one after another: more at once only
 * keep its threads busy, and everybody else on the cluster waits.
 */
const MOST_STARTING = 16;
/** How often it is looked whether a step has begun: soon after its launch, and later, while it waits for its turn. */
const BEGIN_POLL_MS = 50;
const LATER_BEGIN_POLL_MS = 500;
const SOON_MS = 2_000;
/** How long a file that another node wrote may stay unseen: a network file system remembers so long that there was none. */
const UNSEEN_MS = 60_000;

/** The starts of steps: a bounded number at once, and the moment at which each begins. */
export interface StepStarts {
  /** Launches the step now, or when others have begun; `failed` is called if it cannot be launched then. */
  add(id: StepId, step: RunningStep, launch: () => number, failed: (error: Error) => void): void;
  ended(id: StepId): void;
  /** The steps that were launched more than so many milliseconds ago, have not begun, and have their srun. */
  waiting(longerThanMs: number): readonly StepId[];
  /** Takes back a step that was not launched yet; false if it was. */
  withdraw(id: StepId): boolean;
  close(): void;
}

export function createStepStarts(): StepStarts {
  const starting = new Map<StepId, RunningStep>();
  const turns = new Map<StepId, () => void>();
  let timer: Timer | undefined;
  let lookedAt = -Infinity;

  const launchNext = () => {
    for (const [id, launch] of turns) {
      if (starting.size >= MOST_STARTING) return;
      turns.delete(id);
      launch();
    }
  };

  const lookForBegun = () => {
    timer = undefined;
    const now = performance.now();
    const mostMs = now - lookedAt + UNSEEN_MS;
    lookedAt = now;
    let nextMs = Infinity;
    for (const [id, step] of starting) {
      const atMs = beganAt(step.mark);
      const ageMs = now - step.launchedAt;
      if (atMs === undefined) {
        nextMs = Math.min(nextMs, ageMs < SOON_MS ? BEGIN_POLL_MS : LATER_BEGIN_POLL_MS);
        continue;
      }
      starting.delete(id);
      step.hasBegun = true;
      // The clock of the file system may be another one: so long before the last look it had not begun.
      step.begun(Math.min(Math.max(0, performance.timeOrigin + now - atMs), ageMs, mostMs));
    }
    launchNext();
    if (nextMs < Infinity) timer ??= after(nextMs, lookForBegun);
  };

  return {
    add(id, step, launch, failed) {
      const launchNow = () => {
        step.pid = launch();
        step.launchedAt = performance.now();
        starting.set(id, step);
        timer ??= after(BEGIN_POLL_MS, lookForBegun);
      };
      if (starting.size < MOST_STARTING) return launchNow();
      turns.set(id, () => {
        try {
          launchNow();
        } catch (error) {
          failed(error as Error);
        }
      });
    },
    ended(id) {
      if (starting.delete(id)) launchNext();
    },
    waiting(longerThanMs) {
      const before = performance.now() - longerThanMs;
      return [...starting]
        .filter(([, { pid, launchedAt }]) => pid !== undefined && launchedAt < before)
        .map(([id]) => id);
    },
    withdraw: (id) => turns.delete(id),
    close() {
      timer?.cancel();
      turns.clear();
    },
  };
}

/** When the wrapper wrote that it began, in Unix milliseconds; undefined before. */
function beganAt(mark: string): number | undefined {
  try {
    // On a full disk it is empty.
    return statSync(mark).mtimeMs;
  } catch {
    return undefined;
  }
}
